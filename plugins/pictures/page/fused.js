'use strict';
// The tree of loops of fused layers, and the room that they take.

(async () => {
  // One picture for each exchange memory.
  for (const name of Object.keys(specifications))
    await draw(name, document.getElementById('fused'), {}, name.replace('fused', 'fused_groups'));
  root.dataset.drawn = 'all';
})();
