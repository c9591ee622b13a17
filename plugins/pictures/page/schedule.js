'use strict';
// A schedule: one picture, and the buttons that move it in time.

// What the browser can draw as shapes without getting slow; more is drawn as dots.
const most_shapes = 4000;

function fitting_width() {
  return Math.max(500, document.querySelector('main').clientWidth - 250);
}

(async () => {
  const counted = ['nodes', 'transfers', 'blocks'].reduce((sum, name) => sum + rows('schedule', name).length, 0);
  const renderer = counted > most_shapes && location.hash !== '#all' ? 'canvas' : 'svg';
  const view = await draw('schedule', document.getElementById('schedule'), {figure_width: fitting_width()}, 'schedule', renderer);

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

  document.getElementById('links-choice').hidden = !rows('schedule', 'rows').some(row => row.link);
  for (const [name, signal] of [['links', 'show_links'], ['memories', 'show_memories'], ['capacity', 'whole_capacity']])
    document.getElementById(name).addEventListener('change', event => view.signal(signal, event.target.checked).runAsync());
  window.addEventListener('resize', () => view.signal('figure_width', fitting_width()).runAsync());
  root.dataset.drawn = 'all';
})();
