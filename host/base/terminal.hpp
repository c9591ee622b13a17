#pragma once
#include <string>

namespace zz::host {

/// True when `file` is a terminal that can redraw a line.
bool is_smart_terminal(int file);

enum class ColourMode { automatic, always, never };

/// True if text for `file` is to be coloured. The command line decides; else NO_COLOR, CLICOLOR_FORCE and
/// FORCE_COLOR; else whether the file is a terminal.
bool use_colour(ColourMode mode, int file);

/// Columns of the terminal of stderr; 80 when unknown.
int terminal_width();

/// `text` with its middle left out so that it fits.
std::string shortened(const std::string& text, int width);

}  // namespace zz::host
