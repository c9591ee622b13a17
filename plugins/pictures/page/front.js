'use strict';
// Schedules as points: a picture, their figures, and what they do with each layer.

const points = rows('front', 'points');
const figure = rows('front', 'search')[0].figure;
const objectives = [
  {title: figure + ' (cycles)', of: point => point.latency, bound: 'bound', text: value => Math.round(value).toLocaleString('en')},
  {title: 'energy', of: point => point.energy, bound: 'energy_bound', text: energy_text},
  {title: 'energy × ' + figure, of: point => point.latency * point.energy, bound: 'edp_bound', text: value => energy_text(value) + ' · cycles'},
];

// Columns whose title begins with "#" have numbers.
function table_in(section, titles) {
  const frame = element('div', document.getElementById(section));
  frame.className = 'scrolled';
  const table = element('table', frame);
  const heading = element('tr', element('thead', table));
  for (const title of titles)
    Object.assign(element('th', heading, String(title).replace(/^#/, '')), {scope: 'col', className: String(title).startsWith('#') ? 'number' : ''});
  return element('tbody', table);
}

function link_to_page(parent, point) {
  if (!point.page) {
    element('span', parent, point.point);
    return;
  }
  const link = element('a', parent, point.point);
  link.href = point.page;
  link.title = 'its schedule: ' + point.page;
}

function list_points() {
  const bounded = objectives.filter(objective => points.some(point => point[objective.bound] > 0));
  const several = points.some(point => point.what !== points[0].what);
  const some_pass = points.some(point => !point.yielded);
  const body = table_in('points', [
    'point', ...objectives.flatMap(one => bounded.includes(one) ? ['#' + one.title, '#above the bound'] : ['#' + one.title]), '#nodes', 'order', ...(several ? ['of'] : [])]);
  for (const point of points) {
    const row = element('tr', body);
    const name = element('th', row);
    name.scope = 'row';
    link_to_page(name, point);
    if (some_pass && point.yielded) element('span', name, ' (yielded)');
    for (const objective of objectives) {
      const value = objective.of(point);
      const cell = element('td', row, objective.text(value));
      cell.className = value === Math.min(...points.map(objective.of)) ? 'number best' : 'number';
      if (!bounded.includes(objective)) continue;
      const bound = point[objective.bound];
      const gap = element('td', row, bound > 0 ? (100 * (value / bound - 1)).toFixed(1) + ' %' : '');
      gap.className = 'number';
      if (bound > 0) gap.title = 'no choice can be below ' + objective.text(bound);
    }
    element('td', row, point.nodes.toLocaleString('en')).className = 'number';
    element('td', row, point.order);
    if (several) element('td', row, point.what);
  }
  document.getElementById('about-bounds').textContent = 'The smallest of each figure is bold.' + (bounded.length === 0 ? '' :
      ' A bound is what no choice can be below; a result may be that much too high, and no more. Where cuts were searched it holds for all cuts, cores and orders, ' +
      'else for the cuts of the point.');
}

function list_layers() {
  const layers = [...new Set(points.flatMap(point => Object.keys(point.allocation)))];
  document.getElementById('layers').hidden = layers.length === 0;
  const body = table_in('layers', ['layer', ...points.map(point => point.point)]);
  body.parentElement.className = 'wide';
  for (const layer of layers) {
    const row = element('tr', body);
    element('th', row, layer).scope = 'row';
    points.forEach((point, i) => {
      const text = point.allocation[layer] ?? '';
      element('td', row, text).className = i > 0 && text === points[i - 1].allocation[layer] ? 'cut same' : 'cut';
    });
  }
}

(async () => {
  const pages = points.some(point => point.page);
  document.getElementById('how-to-read').textContent = 'Pointing at a point shows its figures' + (pages ? ', a click opens its schedule.' : '.');
  document.getElementById('about-layers').textContent = pages ? 'Each cell says into which loops the layer is cut, and on which cores it runs.'
                                                              : 'Each cell says on which cores the layer runs.';
  await draw('front', document.getElementById('front'), {}, 'front');
  list_points();
  list_layers();
  root.dataset.drawn = 'all';
})();
