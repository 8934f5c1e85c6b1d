import type { Artifact } from '../operations.ts';

/** The artifacts of a flow that came before and after one, under the same name of the template. */
interface Neighbours {
  before: Artifact | undefined;
  after: Artifact | undefined;
  /** Whether the list holds the artifact itself. If not, it is too old, and nothing is known of its neighbours. */
  isListed: boolean;
}

/** @param newest reports of the flow, the newest first */
export function neighboursOf(
  newest: readonly Artifact[],
  { fingerprint, template_reference_name: name }: Artifact,
): Neighbours {
  const same = newest.filter(({ template_reference_name: other }) => other === name);
  const first = same.findIndex((one) => one.fingerprint === fingerprint);
  const last = same.findLastIndex((one) => one.fingerprint === fingerprint);
  return {
    isListed: first >= 0,
    before: last < 0 ? undefined : same.slice(last + 1).find((one) => one.fingerprint !== fingerprint),
    after: first <= 0 ? undefined : same[first - 1],
  };
}
