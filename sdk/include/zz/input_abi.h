/* zz/input_abi.h - YAML files of a stage's own: the extension "zz.input/0" of the host.
 *
 * A cost table, a technology file, a section that no other stage knows: the host reads it as it reads
 * pipelines, with the same words for what is wrong, whatever language the stage is written in. All rules at
 * the top of stage_abi.h hold. In C++: read_settings and read_rows of zz::Stage.
 */
#ifndef ZZ_INPUT_ABI_H
#define ZZ_INPUT_ABI_H

#include "zz/stage_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zz_input { /* "zz.input/0", [any] */
  uint32_t size;
  /* Gives what is in the file at `path`, or NULL with a message in err. A relative path counts from the
   * working directory; that of a setting flagged ZZ_INPUT_PATH has been completed by the host. `form` is
   *   ZZ_NULL  anything, as a plain tree; `params` is not looked at
   *   ZZ_MAP   a map of settings
   *   ZZ_LIST  a list of such maps
   * Settings are those of `params`, treated like the settings of a stage: names, types and what is allowed
   * are checked, defaults put in. ZZ_INPUT_PATH counts from the folder of the file. Everything that is
   * wrong is told at once, with line and column (ZZ_E_INVALID). Warnings go to the log of `at`. */
  zz_value* (*read)(zz_place* at, zz_str path, int32_t form, const zz_param* params, uint32_t n,
                    zz_error* err)ZZ_NOEXCEPT;
} zz_input;
#define ZZ_INPUT "zz.input/0"

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* ZZ_INPUT_ABI_H */
