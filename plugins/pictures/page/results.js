'use strict';
// Pictures of single results.

function file_part(label) {
  return label.replace(/[^A-Za-z0-9]+/g, '_');
}

async function draw_costs() {
  if (specifications.network_energy) {
    const section = document.getElementById('network_energy');
    section.hidden = false;
    await draw('network_energy', section, {}, 'network_energy');
  }
  for (const name of ['energy', 'latency']) {
    const section = document.getElementById(name);
    section.hidden = false;
    await draw(name, section, {}, name);
  }
}

async function draw_hierarchies() {
  if (!specifications.memory_hierarchy) return;
  const section = document.getElementById('memory_hierarchy');
  section.hidden = false;
  const accelerators = rows('memory_hierarchy', 'accelerators');
  for (const one of accelerators) {
    element('h3', section, one.name);
    if (accelerators.length > 1) element('p', section, 'Used by ' + one.results.join('; ')).className = 'facts';
    await draw('memory_hierarchy', section, {accelerator: one.accelerator}, 'memory_hierarchy_' + file_part(one.name));
  }
}

// Only opened ones are drawn: a network may have hundreds of layers.
async function list_loop_nests() {
  if (!specifications.loop_nest) return;
  const section = document.getElementById('loop_nest');
  section.hidden = false;
  const all = [];
  for (const one of rows('loop_nest', 'results')) {
    const details = element('details', section);
    const summary = element('summary', details);
    element('b', summary, one.label);
    const range = one.energy_low ? ' (' + energy_text(one.energy_low) + ' to ' + energy_text(one.energy_high) + ')' : '';
    element('span', summary, energy_text(one.energy) + range);
    element('span', summary, one.cycles.toLocaleString('en') + ' cycles');
    if (one.utilization !== null) element('span', summary, (100 * one.utilization).toFixed(1) + ' % utilised');
    element('p', details, one.equation + '   with   ' + one.loops).className = 'facts';
    let drawn = null;
    const show = () => {
      details.open = true;
      drawn = drawn || draw('loop_nest', details, {result: one.result}, 'loop_nest_' + file_part(one.label));
      return drawn;
    };
    details.addEventListener('toggle', () => { if (details.open) show(); });
    all.push(show);
  }
  const show_all = async () => { for (const show of all) await show(); };
  document.getElementById('open-all').addEventListener('click', show_all);
  if (location.hash === '#all') await show_all();
  else if (all.length > 0) await all[0]();
}

(async () => {
  await draw_costs();
  await draw_hierarchies();
  await list_loop_nests();
  root.dataset.drawn = 'all';
})();
