'use strict';
// Draws the specifications of the page. What went wrong and whether all is drawn can be read from the root element:
// data-errors, data-warnings, data-drawn.

const root = document.documentElement;
root.dataset.errors = '';
root.dataset.warnings = '';

function report_error(text) {
  root.dataset.errors += text + '\n';
  const box = document.getElementById('problem');
  box.hidden = false;
  box.textContent = 'A picture could not be drawn: ' + text;
}
window.addEventListener('error', event => report_error(event.message));
window.addEventListener('unhandledrejection', event => report_error(String(event.reason)));

const logger = {
  level() { return this; },
  error(...words) { report_error(words.join(' ')); return this; },
  warn(...words) { root.dataset.warnings += words.join(' ') + '\n'; return this; },
  info() { return this; },
  debug() { return this; },
};

function element(name, parent, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

function save(name, address) {
  const link = document.createElement('a');
  link.download = name;
  link.href = address;
  link.click();
}

const texts = {};
const specifications = {};
for (const script of document.querySelectorAll('script[type="application/json"]')) {
  const name = script.id.replace(/-specification$/, '');
  texts[name] = script.textContent.trim();
  specifications[name] = JSON.parse(texts[name]);
}

function rows(name, data_set) {
  return specifications[name].data.find(one => one.name === data_set).values;
}

// Draws one picture at the end of `parent`; `signals` replaces values in the specification.
async function draw(name, parent, signals, file_name) {
  const figure = element('figure', parent);
  const canvas = element('div', figure);
  const specification = structuredClone(specifications[name]);
  for (const signal of specification.signals)
    if (signal.name in signals) signal.value = signals[signal.name];
  const view = new vega.View(vega.parse(specification), {renderer: 'svg', logger: logger});
  await view.initialize(canvas).runAsync();

  const caption = element('figcaption', figure);
  const choices = {
    'Save as SVG': async () => save(file_name + '.svg', await view.toImageURL('svg')),
    'Save as PNG': async () => save(file_name + '.png', await view.toImageURL('png', 3)),
    'Save the Vega specification': async () => save(file_name + '.vg.json', URL.createObjectURL(
        new Blob([JSON.stringify(specification, null, 1)], {type: 'application/json'}))),
  };
  for (const [label, action] of Object.entries(choices)) {
    const link = element('a', caption, label);
    link.href = '#';
    link.addEventListener('click', event => { event.preventDefault(); action(); });
  }
}

function file_part(label) {
  return label.replace(/[^A-Za-z0-9]+/g, '_');
}

function energy_text(picojoule) {
  const units = ['pJ', 'nJ', 'µJ', 'mJ', 'J'];
  let unit = 0;
  while (picojoule >= 1000 && unit + 1 < units.length) { picojoule /= 1000; ++unit; }
  return Number(picojoule.toPrecision(4)) + ' ' + units[unit];
}

async function draw_costs() {
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
    element('span', summary, energy_text(one.energy));
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
