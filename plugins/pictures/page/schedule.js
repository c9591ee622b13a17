'use strict';
// A schedule, perhaps beside an earlier one: a picture of each, the buttons that move them in time together, what resources
// wait for, and the cuts.

// What the browser can draw as shapes without getting slow; more is drawn as dots.
const most_shapes = 4000;

function fitting_width() {
  return Math.max(500, document.querySelector('main').clientWidth - 250);
}

const compares = specifications.before !== undefined;

async function draw_timeline(name, least_until) {
  const counted = ['nodes', 'transfers', 'blocks'].reduce((sum, table) => sum + rows(name, table).length, 0);
  const renderer = counted > most_shapes && location.hash !== '#all' ? 'canvas' : 'svg';
  const section = document.getElementById('schedule');
  if (compares) element('h2', section, name === 'before' ? 'Before' : 'Now');
  // Two timelines shall be seen at once.
  const signals = {figure_width: fitting_width(), least_until, show_memories: !compares};
  return draw(name, section, signals, name, renderer);
}

// A change of the one against the other, as "−23.4 %".
function change(now, before) {
  const percent = 100 * (now / before - 1);
  return (percent < 0 ? '−' : '+') + Math.abs(percent).toFixed(1) + ' %';
}

function list_changes() {
  const [now, before] = ['schedule', 'before'].map(name => rows(name, 'schedule')[0]);
  const text = 'Latency ' + before.latency.toLocaleString('en') + ' → ' + now.latency.toLocaleString('en') + ' cycles (' +
      change(now.latency, before.latency) + '), energy ' + energy_text(before.energy) + ' → ' + energy_text(now.energy) + ' (' +
      change(now.energy, before.energy) + ').';
  document.getElementById('schedule').prepend(Object.assign(document.createElement('p'), {textContent: text, id: 'changes'}));
}

function percent(share) {
  return share > 0 ? (100 * share).toFixed(share < 0.1 ? 1 : 0) + ' %' : '';
}

function cores_text(cores) {
  return cores.length > 1 && cores.every(core => core.startsWith('core '))
      ? 'cores ' + cores.map(core => core.slice(5)).join(', ') : cores.join(', ');
}

function cut_text(cut) {
  return cut.pieces > 1 ? cut.loops + ': ' + cut.pieces.toLocaleString('en') : cut.loops;
}

// Lines of a name and figures.
function list_table(parent, titles, lines) {
  const frame = element('div', parent);
  frame.className = 'scrolled';
  const table = element('table', frame);
  const heading = element('tr', element('thead', table));
  for (const title of titles) element('th', heading, title).scope = 'col';
  const body = element('tbody', table);
  for (const [name, ...figures] of lines) {
    const row = element('tr', body);
    element('th', row, name).scope = 'row';
    for (const figure of figures) element('td', row, figure).className = 'number';
  }
}

function whole(figure) {
  return Math.round(figure).toLocaleString('en');
}

function list_figures() {
  const section = document.getElementById('figures');
  const figures = rows('schedule', 'figures').filter(one => one.bound !== undefined);
  document.getElementById('bounds').hidden = figures.length === 0;
  const text = (one, value) => one.unit === 'cycles' ? whole(value) + ' cycles'
      : energy_text(value) + (one.unit === 'pJ' ? '' : ' · cycles');
  if (figures.length > 0)
    list_table(section, ['', 'this schedule', 'bound over all cuts', 'gap'],
               figures.map(one => [one.figure, text(one, one.value), text(one, one.bound), (100 * one.gap).toFixed(1) + ' %']));
  const energy = rows('schedule', 'schedule')[0].energy;
  list_table(section, ['energy of', '', 'of all'],
             rows('schedule', 'energy_terms').map(one => [one.term, energy_text(one.energy), percent(one.energy / energy)]));
  list_table(section, ['link', 'bits', 'of what it could carry'],
             rows('schedule', 'link_bits').map(one => [one.link, whole(one.bits), percent(one.share)]));
}

function list_cuts() {
  const latency = rows('schedule', 'schedule')[0].latency;
  const before = new Map(compares ? rows('before', 'cuts').map(cut => [cut.layer, cut]) : []);
  const frame = element('div', document.getElementById('cuts'));
  frame.className = 'scrolled';
  const table = element('table', frame);
  const titles = ['layer', ...(compares ? ['before'] : []), 'cut', 'pieces', 'cores', 'cycles of a piece', 'of all', 'of the latency', 'lanes', 'room',
                  'why not larger', 'why not smaller'];
  const heading = element('tr', element('thead', table));
  for (const title of titles) element('th', heading, title).scope = 'col';
  const body = element('tbody', table);
  for (const cut of rows('schedule', 'cuts')) {
    const row = element('tr', body);
    element('th', row, cut.layer).scope = 'row';
    if (compares) element('td', row, before.has(cut.layer) ? cut_text(before.get(cut.layer)) : '').className = 'cut';
    element('td', row, cut.loops).className = 'cut';
    element('td', row, cut.pieces.toLocaleString('en')).className = 'number';
    element('td', row, cores_text(cut.cores)).className = 'cut';
    for (const cycles of [cut.piece, cut.work])
      element('td', row, Math.round(cycles).toLocaleString('en')).className = 'number';
    element('td', row, percent(cut.work / latency)).className = 'number';
    element('td', row, percent(cut.lanes)).className = 'number';
    const room = element('td', row, percent(cut.room));
    room.className = 'number';
    room.title = cut.memory;
    element('td', row, cut.not_larger).className = 'reason';
    element('td', row, cut.not_smaller).className = 'reason';
  }
}

// What the picture of the waits shows, for those who cannot see it or want the figures.
function list_waits(section) {
  const details = element('details', section);
  element('summary', details, 'The same as a table (cycles)');
  const bars = rows('waits', 'bars'), times = rows('waits', 'times');
  const uses = rows('waits', 'uses').map(one => one.use).filter(use => times.some(time => time.use === use));
  list_table(details, ['', ...uses, 'sum'], bars.map(bar => {
    const cycles = uses.map(use => times.find(time => time.bar === bar.bar && time.use === use)?.cycles ?? 0);
    return [bar.label, ...[...cycles, cycles.reduce((sum, some) => sum + some, 0)].map(whole)];
  }));
}

(async () => {
  const until = Math.max(...['schedule', 'before'].filter(name => specifications[name]).map(name => rows(name, 'schedule')[0].until));
  if (compares) {
    list_changes();
    document.getElementById('memories').checked = false;
  }
  const views = compares ? [await draw_timeline('before', until)] : [];
  const view = await draw_timeline('schedule', until);
  views.push(view);
  // Where one is moved, the other follows.
  for (const one of views)
    one.addSignalListener('shown', (name, shown) => {
      for (const other of views)
        if (String(other.signal('shown')) !== String(shown)) other.signal('shown', shown).runAsync();
    });
  const set_all = (signal, value) => views.forEach(one => one.signal(signal, value).runAsync());
  const waits = document.getElementById('waits');
  await draw('waits', waits, {}, 'waits');
  list_waits(waits);
  list_cuts();
  list_figures();

  function look_at(from, to) {
    const length = Math.min(1, to - from);
    from = Math.min(Math.max(0, from), 1 - length);
    view.signal('shown', [from, from + length]).runAsync();
  }
  function zoom(factor) {
    const [from, to] = view.signal('shown');
    const middle = (from + to) / 2, half = (to - from) / 2 * factor;
    look_at(middle - half, middle + half);
  }
  function move(share) {
    const [from, to] = view.signal('shown');
    look_at(from + share * (to - from), to + share * (to - from));
  }
  const actions = {
    nearer: () => zoom(0.5), farther: () => zoom(2), earlier: () => move(-0.25), later: () => move(0.25), whole: () => look_at(0, 1),
  };
  for (const [name, action] of Object.entries(actions))
    document.getElementById(name).addEventListener('click', action);
  const keys = {'+': 'nearer', '=': 'nearer', '-': 'farther', ArrowLeft: 'earlier', ArrowRight: 'later', '0': 'whole'};
  window.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });

  document.getElementById('links-choice').hidden =
      !['schedule', ...(compares ? ['before'] : [])].some(name => rows(name, 'rows').some(row => row.link));
  for (const [name, signal] of [['links', 'show_links'], ['memories', 'show_memories'], ['capacity', 'whole_capacity']])
    document.getElementById(name).addEventListener('change', event => set_all(signal, event.target.checked));
  window.addEventListener('resize', () => set_all('figure_width', fitting_width()));
  root.dataset.drawn = 'all';
})();
