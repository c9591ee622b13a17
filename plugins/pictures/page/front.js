'use strict';
// What a search found: a picture, and a table with the allocation of each point.

(async () => {
  await draw('front', document.getElementById('front'), {}, 'front');
  const points = rows('front', 'points');
  const table = element('table', document.getElementById('points'));
  function line(title, text) {
    const row = element('tr', table);
    element('th', row, title);
    for (const point of points) element('td', row, text(point));
  }
  line('point', point => point.point + (point.yielded ? ' (yielded)' : ''));
  line('latency (cycles)', point => point.latency.toLocaleString('en'));
  line('energy', point => energy_text(point.energy));
  line('energy-delay product (pJ cycles)', point => (point.latency * point.energy).toPrecision(4));
  line('order', point => point.order);
  for (const layer of Object.keys(points[0].allocation))
    line(layer, point => point.allocation[layer]);
  root.dataset.drawn = 'all';
})();
