import { type AccessPattern, BATCH, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './control-keys.ts';

const ORG = '{org}';
const CONTROL = '{identifier}';

const rows = patternsOf(keys);

/** Access patterns of controls. */
export const CONTROL_PATTERNS: readonly AccessPattern[] = rows(
  'Controls',
  ['What is there of a control?', 'controlPartition', keys.controlPartition(ORG, CONTROL), RANGE],
  ['What does a control say now?', 'controlHeadKey', keys.controlHeadKey(ORG, CONTROL), `${ONE}; ${BATCH}`],
  ['What was version n of a control?', 'controlVersionKey', keys.controlVersionKey(ORG, CONTROL, 3), ONE],
  ['Which tags has a control?', 'controlTagsKey', keys.controlTagsKey(ORG, CONTROL), BATCH],
);
