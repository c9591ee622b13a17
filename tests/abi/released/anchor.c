/* Mentions every type of zz/stage_abi.h, so that debug information describes them: what abidiff compares.
 */
#include "zz/stage_abi.h"

ZZ_EXPORT void zz_anchor(zz_ref*, zz_str*, zz_lit*, zz_values*, zz_result*, zz_stream*, zz_host*, zz_param*,
                         zz_port*, zz_stage_desc*, zz_plugin*, zz_log*, zz_progress*, zz_cancel*,
                         zz_parallel*, zz_output*, zz_input*, zz_evaluations*, zz_nested*, zz_demand*,
                         zz_stage_demand*, zz_demands*, zz_score*, zz_stage_score*);

void zz_anchor(zz_ref* ref, zz_str* str, zz_lit* lit, zz_values* values, zz_result* result,
               zz_stream* stream, zz_host* host, zz_param* param, zz_port* port, zz_stage_desc* desc,
               zz_plugin* plugin, zz_log* log, zz_progress* progress, zz_cancel* cancel,
               zz_parallel* parallel, zz_output* output, zz_input* input, zz_evaluations* evaluations,
               zz_nested* nested, zz_demand* demand, zz_stage_demand* stage_demand, zz_demands* demands,
               zz_score* score, zz_stage_score* stage_score) {
  (void)ref, (void)str, (void)lit, (void)values, (void)result, (void)stream, (void)host, (void)param,
      (void)port;
  (void)desc, (void)plugin, (void)log, (void)progress, (void)cancel, (void)parallel, (void)output,
      (void)input;
  (void)evaluations, (void)nested, (void)demand, (void)stage_demand, (void)demands, (void)score,
      (void)stage_score;
}
