'use strict';
// The tree of loops of fused layers, and the room that they take.

(async () => {
  await draw('fused', document.getElementById('fused'), {}, 'fused_groups');
  root.dataset.drawn = 'all';
})();
