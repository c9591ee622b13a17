"""The executing reference on mappings that are counted by hand."""
import unittest
from collections import Counter

import array_cycles
from walk import Walk


def evaluation(sizes, operands, loops, ends, unrolled, windows=(), layouts=(), shared_tiles=-1):
    """What a walk reads of an evaluation. `unrolled`: of each operand the loops between its levels, from the units on. `layouts`:
    (number of an operand, its innermost dimension). `shared_tiles`: the level of the memory that has them. Memories serve all."""
    numbers = range(len(operands))
    return {"accelerator": {"memories": [{"operands": [*numbers], "shared_tiles": level == shared_tiles} for level in range(len(ends[1]))]},
            "layer": {"memory_operands": dict(zip(numbers, numbers)),
                      "mapping": {"layout": [{"operand": o, "dimensions": ["..", name]} for o, name in layouts]},
                      "loops": [{"name": name, "size": size} for name, size in sizes.items()],
                      "relations": [dict(zip(("data", "output_loop", "stride", "filter_loop", "dilation"), window)) for window in windows],
                      "operands": [{"name": o, "dimensions": dimensions} for o, dimensions in enumerate(operands)]},
            "temporal_mapping": {"loops": [{"dimension": dimension, "size": size} for dimension, size in loops],
                                 "operands": [{"stationary": own} for own in ends]},
            "spatial_mapping": {"operands": [{"levels": [[{"dimension": d, "factor": f} for d, f in level] for level in own]}
                                             for own in unrolled]}}


PRODUCT = [["B", "K"], ["K", "C"], ["B", "C"]]


class Walks(unittest.TestCase):
    def moves(self, walk, operand, level, direction):
        return {at: dict(portions) for at, portions in walk.moves[operand, level, direction].items()}

    def test_sums_stay_in_registers_of_their_units(self):
        # 4 x 2 results of 2 products each, both K side by side, C innermost. O has a register at each unit.
        k = [("K", 2)]
        walk = Walk(evaluation({"B": 4, "K": 2, "C": 2}, PRODUCT, [("C", 2), ("B", 4)], [[1, 2], [2], [2]],
                               [[[], k, []], [k, []], [k, []]]), True)
        self.assertEqual((walk.steps, walk.operations), (8, 16))
        for unit in ((0,), (1,)):
            self.assertEqual(self.moves(walk, 0, 0, "wr_in_by_low")[unit], {(0, 1): 4, (1, 0): 4})
            self.assertEqual(self.moves(walk, 0, 0, "rd_out_to_low")[unit], {(0, 0): 4, (0, 1): 4})
            self.assertEqual(self.moves(walk, 0, 0, "rd_out_to_high")[unit], {(1, 0): 4})
        self.assertEqual(self.moves(walk, 0, 1, "wr_in_by_low"), {(): {(2, 0): 4}})
        self.assertEqual(self.moves(walk, 0, 1, "rd_out_to_low"), {(): {(0, 0): 4}})
        self.assertEqual(walk.held, {(0, 0): 1, (0, 1): 8, (1, 0): 4, (2, 0): 8})
        self.assertEqual(walk.tiles, {(0, 0): 4, (0, 1): 1, (1, 0): 1, (2, 0): 1})
        self.assertEqual(walk.gets_unfinished, [True, False])
        # One input for both units; the two weights of a step.
        self.assertEqual(self.moves(walk, 2, 0, "rd_out_to_low"), {(): {(0, 1): 8}})
        self.assertEqual(self.moves(walk, 1, 0, "rd_out_to_low"), {(): {(0, 2): 8}})

    def test_sums_leave_unfinished_and_come_back(self):
        # C outermost, and the register of O has one element: each sum leaves twice and comes back once.
        k = [("K", 2)]
        walk = Walk(evaluation({"B": 4, "K": 2, "C": 2}, PRODUCT, [("B", 4), ("C", 2)], [[0, 2], [2], [2]],
                               [[[], k, []], [k, []], [k, []]]), True)
        self.assertEqual(self.moves(walk, 0, 0, "rd_out_to_high")[(0,)], {(0, 1): 4, (1, 0): 4})
        self.assertEqual(self.moves(walk, 0, 0, "wr_in_by_high")[(0,)], {(0, 0): 4, (0, 1): 4})
        self.assertEqual(self.moves(walk, 0, 1, "rd_out_to_low"), {(): {(0, 0): 4, (0, 2): 4}})
        # The weights stay for four steps: read again only when they change.
        self.assertEqual(self.moves(walk, 1, 0, "rd_out_to_low"), {(): {(0, 2): 2}})

    def test_units_read_again_what_is_loaded_again(self):
        # One weight for all four steps, which comes to the buffer with each of two tiles of inputs.
        case = {"B": 4, "K": 1, "C": 1}, PRODUCT, [("B", 2), ("B", 2)], [[2, 2], [1, 2], [1, 2]], [[[], [], []]] * 3
        for shared_tiles, reads in ((-1, 1), (0, 2)):
            walk = Walk(evaluation(*case, shared_tiles=shared_tiles), True)
            self.assertEqual(self.moves(walk, 1, 0, "rd_out_to_low"), {(): {(0, 1): reads}})
            self.assertEqual(self.moves(walk, 2, 0, "rd_out_to_low"), {(): {(0, 1): 4}})
        self.assertEqual(self.moves(walk, 1, 1, "rd_out_to_low"), {(): {(0, 1): 2}})

    def test_units_of_an_adder_have_parts_of_a_sum(self):
        # Both C side by side, registers of O at each unit: what leaves them is no finished sum, what arrives above is.
        c = [("C", 2)]
        walk = Walk(evaluation({"B": 4, "K": 1, "C": 2}, PRODUCT, [("B", 4)], [[0, 1], [1], [1]],
                               [[[], c, []], [c, []], [c, []]]), True)
        self.assertEqual(self.moves(walk, 0, 0, "rd_out_to_high"), {(0,): {(0, 1): 4}, (1,): {(0, 1): 4}})
        self.assertEqual(self.moves(walk, 0, 1, "wr_in_by_low"), {(): {(1, 0): 4}})
        self.assertEqual(self.moves(walk, 0, 1, "rd_out_to_low"), {(): {(0, 0): 4}})

    def test_windows_overlap_between_units(self):
        # 4 outputs, kernel of 3: inputs 0 to 5. Two outputs side by side, two after each other; I has a register at each unit.
        ox = [("OX", 2)]
        walk = Walk(evaluation({"OX": 4, "FX": 3}, [["OX"], ["FX"], ["IX"]], [("FX", 3), ("OX", 2)], [[2], [2], [1, 2]],
                               [[ox, []], [ox, []], [[], ox, []]], [("IX", "OX", 1, "FX", 1)]), True)
        # Loops are nested as I has them: OX in time is around OX in space, so units have outputs 0 and 1, then 2 and 3.
        self.assertEqual(self.moves(walk, 2, 0, "wr_in_by_high"), {(0,): {(0, 3): 2}, (1,): {(0, 3): 2}})
        # Their windows share two elements, which are read once for both.
        self.assertEqual(self.moves(walk, 2, 1, "rd_out_to_low"), {(): {(0, 4): 2}})
        self.assertTrue(walk.windows_shared[2, 1])
        self.assertEqual(walk.held[2, 0], 3)

    def test_stretches_lie_along_the_innermost_dimension(self):
        # Six tiles of 2 x 4 inputs: two stretches where C is the innermost, four where B is; of 3 x 4 results, K in one piece of three.
        sizes, loops = {"B": 4, "K": 3, "C": 4}, [("C", 4), ("B", 2), ("K", 3), ("B", 2)]
        shapes = {}
        for name in "CB":
            walk = Walk(evaluation(sizes, PRODUCT, loops, [[4, 4], [1, 4], [2, 4]], [[[], [], []]] * 3, layouts=[(2, name), (0, "K")]), True)
            shapes[name] = walk.stretches[2, 0, "wr_in_by_high"][()]
        self.assertEqual(shapes, {"C": {(4, 4): 6}, "B": {(2, 2, 2, 2): 6}})
        self.assertEqual(walk.stretches[0, 0, "rd_out_to_high"][()], {(3, 3, 3, 3): 1})
        self.assertNotIn((1, 0, "wr_in_by_high"), walk.stretches)

    def test_the_last_round_is_partly_empty(self):
        # 5 channels on 2 units on average 1.67: 2, 2 and 1.
        k = [("K", 5 / 3)]
        walk = Walk(evaluation({"B": 2, "K": 5, "C": 1}, PRODUCT, [("B", 2), ("K", 3)], [[2], [1, 2], [2]],
                               [[k, []], [[], k, []], [k, []]]), True)
        self.assertEqual(walk.operations, 10)
        self.assertEqual(sum((Counter(portions) for portions in walk.moves[1, 0, "wr_in_by_high"].values()), Counter()), {(0, 1): 5})
        self.assertEqual(self.moves(walk, 0, 0, "wr_in_by_low"), {(): {(2, 0): 4, (1, 0): 2}})


    def test_the_last_tile_is_short(self):
        # Five rows in tiles of 2: 2, 2 and 1. Each tile of inputs stays for both K.
        walk = Walk(evaluation({"B": 5, "K": 2, "C": 1}, PRODUCT, [("B", 2), ("K", 2), ("B", 3)], [[1, 3], [3], [2, 3]], [[[], [], []]] * 3),
                    True)
        self.assertEqual((walk.steps, walk.operations, walk.tiles[2, 0], walk.tiles[0, 0]), (10, 10, 3, 6))
        self.assertEqual(self.moves(walk, 2, 0, "wr_in_by_high"), {(): {(0, 2): 2, (0, 1): 1}})
        self.assertEqual(self.moves(walk, 0, 0, "rd_out_to_high"), {(): {(2, 0): 4, (1, 0): 2}})
        # One row of the last tile for two K in a row: the units read it once.
        self.assertEqual(self.moves(walk, 2, 0, "rd_out_to_low"), {(): {(0, 1): 9}})

    def test_units_share_out_the_last_tile(self):
        # Five rounds of two units each, tiles of 2 rounds in each unit: four rows for each tile, 0 and 1 in one unit; then one for each.
        b = [("B", 2)]
        case = evaluation({"B": 10, "K": 1, "C": 1}, PRODUCT, [("B", 2), ("B", 3)], [[2], [2], [1, 2]], [[b, []], [b, []], [[], b, []]])
        case["layer"]["mapping"]["spatial_mapping"] = {"dimensions": [{"loops": [{"dimension": "B", "factor": 2}]}]}
        walk = Walk(case, True)
        self.assertEqual((walk.steps, walk.operations), (5, 10))
        self.assertEqual(self.moves(walk, 2, 0, "wr_in_by_high"), {(0,): {(0, 2): 2, (0, 1): 1}, (1,): {(0, 2): 2, (0, 1): 1}})


class Arrays(unittest.TestCase):
    def cycles(self, sizes, loops, unrolled, array):
        """Of the product O[b][k] += I[b][c] W[k][c], unrolled as {array dimension: (loop, factor)}."""
        layer = {"loops": [{"name": name, "size": size} for name, size in sizes.items()], "relations": [],
                 "operands": [{"name": name, "dimensions": dimensions} for name, dimensions in zip("OWI", PRODUCT)],
                 "memory_operands": {"O": "O", "W": "I2", "I": "I1"},
                 "mapping": {"spatial_mapping": {"dimensions": [{"array_dimension": name, "loops": [{"dimension": d, "factor": f}]}
                                                                for name, (d, f) in unrolled.items()]}}}
        return array_cycles.cycles({"layer": layer, "accelerator": {"operational_array": array},
                                    "temporal_mapping": {"loops": [{"dimension": d, "size": size} for d, size in loops]}})

    def array(self, *sizes, **keys):
        return {"dimensions": [{"name": f"D{i + 1}", "size": size} for i, size in enumerate(sizes)], **keys}

    def test_folds_fill_and_drain(self):
        fold = {"operand": "O", "fill": "whole", "drain": "whole", "preload": "none", "overlapped": False}
        case = {"B": 33, "K": 12, "C": 64}, [("C", 64), ("B", 5), ("K", 2)], {"D1": ("B", 8), "D2": ("K", 8)}
        self.assertEqual(self.cycles(*case, self.array(8, 8)), 640)
        self.assertEqual(self.cycles(*case, self.array(8, 8, fold=fold)), 780)
        self.assertEqual(self.cycles(*case, self.array(8, 8, fold={**fold, "overlapped": True})), 654)
        # 6.6 units on average, and 6.
        self.assertEqual(self.cycles(*case, self.array(8, 8, fold={**fold, "fill": "used", "drain": "used"})), 640 + 10 * 11)
        fold = {**fold, "operand": "I2", "preload": "D1"}
        self.assertEqual(self.cycles({"B": 31, "K": 2, "C": 49}, [("B", 31), ("C", 13)], {"D1": ("C", 4), "D2": ("K", 2)},
                                     self.array(4, 4, fold=fold)), 533)

    def test_work_comes_in_blocks_of_rows(self):
        instruction = {"operand": "I2", "along": ["B"], "rows": 16, "min_cycles": 4, "reload_cycles": 16, "interval": 7.5}
        for rows, stay in ((8, 16), (32, 32), (33, 36)):
            self.assertEqual(self.cycles({"B": rows, "K": 1, "C": 4}, [("B", rows), ("C", 4)], {}, self.array(1, 1, instruction=instruction)),
                             4 * stay)
        instruction["along"] = ["K"]  # every step is a block
        self.assertEqual(self.cycles({"B": 8, "K": 1, "C": 4}, [("B", 8), ("C", 4)], {}, self.array(1, 1, instruction=instruction)), 4 * 60)


if __name__ == "__main__":
    unittest.main()
