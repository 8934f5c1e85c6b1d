import { count, listed } from '../../model/words.ts';
import type { Environment } from '../operations.ts';

type Settings = Pick<Environment, 'type' | 'policies' | 'included_environments' | 'tags'>;

/** What an environment is, in a sentence. */
export function settingsSentence({ type, policies, included_environments: members, tags }: Settings): string {
  const what =
    members === null
      ? `A physical environment of type ${type}`
      : `A logical environment with ${count(members.length, 'member')}${members.length === 0 ? '' : `: ${listed(members)}`}`;
  const judged = policies.length === 0 ? 'No policy is attached' : `Judged by ${listed(policies)}`;
  const tagged = Object.keys(tags).length;
  return `${what}. ${judged}.${tagged === 0 ? '' : ` It has ${count(tagged, 'tag')}.`}`;
}
