'use strict';
// What the pages have in common. What went wrong and whether all is drawn can be read from the root element:
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

// Vega is in the page as a compressed script, which defines its modules.
async function unpack_vega() {
  if (typeof DecompressionStream === 'undefined')
    throw new Error('this browser cannot unpack what draws the pictures: it takes one of 2023 or later');
  const packed = Uint8Array.from(atob(document.getElementById('vega').textContent), letter => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const modules = {};
  const define_module = (name, define) => {
    modules[name] = {};
    define(modules[name], {}, wanted => modules[wanted]);
    // One module has another name inside than its file.
    if (name === 'vega-selection') modules['vega-selections'] = modules[name];
  };
  new Function('define_module', await new Response(unpacked).text())(define_module);
  for (const name of ['transforms', 'view-transforms', 'encode'])
    Object.assign(modules['vega-dataflow'].transforms, modules['vega-' + name]);
  return {parse: modules['vega-parser'].parse, View: modules['vega-view'].View};
}
const unpacked_vega = unpack_vega();

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

// Beside the pointer, so that nobody has to wait for the browser's own.
const tip = element('div', document.body);
tip.id = 'tip';
tip.hidden = true;
function show_tip(handler, event, item, value) {
  tip.hidden = value === null || value === undefined || value === '';
  if (tip.hidden) return;
  tip.textContent = '';
  for (const [key, part] of Object.entries(typeof value === 'object' ? value : {'': value})) {
    if (part === null || part === undefined || part === '') continue;
    const line = element('div', tip);
    if (key !== '') element('b', line, key + ' ');
    element('span', line, String(part));
  }
  const left = event.pageX + 14, top = event.pageY + 14;
  tip.style.left = Math.max(0, Math.min(left, scrollX + document.documentElement.clientWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = (top + tip.offsetHeight > scrollY + innerHeight ? event.pageY - tip.offsetHeight - 10 : top) + 'px';
}

// Draws one picture at the end of `parent` and returns its view; `signals` replaces values in the specification.
async function draw(name, parent, signals, file_name, renderer = 'svg') {
  const figure = element('figure', parent);
  const canvas = element('div', figure);
  const specification = structuredClone(specifications[name]);
  for (const signal of specification.signals)
    if (signal.name in signals) signal.value = signals[signal.name];
  const vega = await unpacked_vega;
  const view = new vega.View(vega.parse(specification), {renderer, logger, tooltip: show_tip});
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
  return view;
}

function energy_text(picojoule) {
  const units = ['pJ', 'nJ', 'µJ', 'mJ', 'J'];
  let unit = 0;
  while (picojoule >= 1000 && unit + 1 < units.length) { picojoule /= 1000; ++unit; }
  return (picojoule < 1e4 ? picojoule.toPrecision(4) : Math.round(picojoule).toLocaleString('en')) + ' ' + units[unit];
}
