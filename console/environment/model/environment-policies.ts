import { count, listed } from '../../model/words.ts';
import type { Environment, Snapshot } from '../operations.ts';

/** What the policies of an environment say of what runs in it. */
export function policiesSentence({ policies }: Pick<Environment, 'policies'>, snapshot: Snapshot | null): string {
  if (policies.length === 0) return 'No policy is attached, so no verdict is made of what runs here.';
  const attached = `${count(policies.length, 'policy')} ${policies.length === 1 ? 'is' : 'are'} attached`;
  if (snapshot === null) return `${attached}. Nothing was reported yet that they could judge.`;
  const failing = snapshot.applied_policies.filter(({ failing_artifacts: artifacts }) => artifacts.length > 0);
  if (failing.length === 0)
    return `${attached}, and what runs here satisfies ${policies.length === 1 ? 'it' : 'all of them'}.`;
  const parts = failing.map(
    ({ name, failing_artifacts: artifacts }) => `${name} (${count(artifacts.length, 'artifact')})`,
  );
  return `${attached}. What runs here does not satisfy ${listed(parts)}.`;
}
