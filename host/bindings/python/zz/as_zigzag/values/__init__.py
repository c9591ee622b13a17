"""ZigZag's objects, as scripts look at them, over values of zz."""
