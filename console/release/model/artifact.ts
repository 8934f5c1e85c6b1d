import { stateOfWord } from '../../model/states.ts';
import { listed } from '../../model/words.ts';
import type { Artifact } from '../operations.ts';

type Presence = Artifact['running'][number];

export const environmentsOf = (presences: readonly Presence[]): string[] => [
  ...new Set(presences.map(({ environment_name: name }) => name)),
];

/** The verdict of an artifact in its trail, and where it runs. */
export function artifactSentence({ state, trail_name: trail, flow_name: flow, running }: Artifact): string {
  const verdict: Partial<Record<string, string>> = {
    compliant: `Compliant in trail ${trail} of ${flow}.`,
    incomplete: `Incomplete: evidence is missing in trail ${trail} of ${flow}.`,
    'non-compliant': `Not compliant: evidence in trail ${trail} of ${flow} failed.`,
  };
  const names = environmentsOf(running);
  const runs = names.length === 0 ? 'It runs nowhere now.' : `It runs in ${listed(names)}.`;
  return `${verdict[stateOfWord(state)] ?? 'Its state is unknown.'} ${runs}`;
}
