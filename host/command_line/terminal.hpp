#pragma once
#include <string>

namespace zz::host {

/// A terminal on which a line can be redrawn.
bool is_smart_terminal(int file);

enum class ColourMode { automatic, always, never };

/// Whether text for `file` may be coloured: what the command line says, else NO_COLOR, CLICOLOR_FORCE and
/// FORCE_COLOR, else whether it is a terminal.
bool use_colour(ColourMode mode, int file);

/// Columns of the terminal behind stderr; 80 when that is not known.
int terminal_width();

/// `text` with its middle left out so that it fits.
std::string shortened(const std::string& text, int width);

}  // namespace zz::host
