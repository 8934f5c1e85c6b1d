import type { Environment } from '../client/environments.ts';
import { type StateName, stateOfVerdict } from './states.ts';
import { count, listed } from './trail.ts';

const ORDER: readonly StateName[] = ['non-compliant', 'unknown', 'compliant'];

/** Environments in the order in which they need attention: not compliant, unknown, compliant; then by name. */
export const needsFirst = (environments: readonly Environment[]): Environment[] =>
  environments.toSorted(
    (a, b) =>
      ORDER.indexOf(stateOfVerdict(a.state)) - ORDER.indexOf(stateOfVerdict(b.state)) || (a.name < b.name ? -1 : 1),
  );

/** What the first page of an organization says first. */
export function homeSentence(environments: readonly Environment[]): string {
  const failing = environments.filter(({ state }) => state === false);
  if (environments.length === 0) return 'Nothing reports to this organization yet.';
  if (failing.length > 0) {
    const names = listed(failing.map(({ name }) => name));
    return `${failing.length} of ${count(environments.length, 'environment')} ${failing.length === 1 ? 'is' : 'are'} not compliant: ${names}.`;
  }
  const unknown = environments.filter(({ state }) => state === null);
  if (unknown.length === environments.length) return 'No environment has a verdict yet.';
  if (unknown.length === 0) return `All of ${count(environments.length, 'environment')} are compliant.`;
  return `No environment is known to be not compliant. Nothing is known of ${listed(unknown.map(({ name }) => name))}.`;
}
