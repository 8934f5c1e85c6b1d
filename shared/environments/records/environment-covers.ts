import type { EnvironmentId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { type EnvironmentHead, type FactsItem, SHOWN_ENVIRONMENT, SHOWN_FACTS } from './environment-records.ts';

/** What a change of an environment's settings leaves behind (rules/organizations.md#covers). */
export function settingsCover(before: EnvironmentHead | undefined, after: EnvironmentHead): Cover {
  const line = (one: EnvironmentHead) => lineOf(SHOWN_ENVIRONMENT, one, { environment: one.id });
  return coverOf('environments/environment', before && line(before), line(after));
}

/** What a change of an environment's facts leaves behind. @param before null if there were none */
export function factsCover(environment: EnvironmentId, before: FactsItem | null, item: FactsItem): Cover {
  const line = (one: FactsItem) => lineOf(SHOWN_FACTS, one, { environment });
  return coverOf('environments/facts', before ? line(before) : undefined, line(item));
}
