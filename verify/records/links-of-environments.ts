import * as z from 'zod';
import { Fault } from '../fault.ts';
import { recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const HeadLine = z.object({
  environment: z.string(),
  archived: z.number().nullable(),
  policies: z.array(z.string()),
  members: z.array(z.string()),
});
const AttachedLine = z.strictObject({ item: z.string(), policy: z.string(), environment: z.string() });
const MemberLine = z.strictObject({ item: z.string(), environment: z.string(), logical: z.string() });

/** Links of environments: from what is linked to the environment that names it. */
class Links {
  readonly name: string;
  readonly #expected = new Map<string, string>();

  constructor(name: string) {
    this.name = name;
  }

  expect(linked: string, environment: string): void {
    this.#expected.set(`${linked} ${environment}`, environment);
  }

  /** Verifies a line. @throws Fault if the environment does not name what is linked */
  require(state: ProofState, place: string, linked: string, environment: string): void {
    if (this.#expected.delete(`${linked} ${environment}`)) state.scope.stands(this.name, 'follows');
    else if (state.covers.changedLater('environments/environment', environment)) state.scope.stands(this.name, 'later');
    else throw new Fault(place, `environment ${environment} does not name ${linked}, or the line is there twice`);
  }

  finish(state: ProofState): void {
    for (const [link, environment] of this.#expected) {
      if (state.covers.changedLater('environments/environment', environment)) continue;
      // Archiving that was interrupted has removed some of the links.
      if (state.leaving.has(environment)) continue;
      throw new Fault('data/records', `no line of ${this.name} has the link ${link}`);
    }
  }
}

/**
 * Verifies which policies are attached to environments, and which environments are members of others. Both follow from the
 * settings of environments, which were verified before (rules/verification.md#covered-records).
 */
export async function verifyLinks(state: ProofState): Promise<void> {
  const [attached, memberOf] = [new Links('policies/attached_to'), new Links('environments/member_of')];
  for await (const [, { environment, archived, policies, members }] of recordsOf(
    state,
    'environments',
    HeadLine,
    'environment',
  )) {
    if (archived !== null) continue;
    for (const policy of policies) attached.expect(policy, environment);
    for (const member of members) memberOf.expect(member, environment);
  }
  for await (const [place, { policy, environment }] of recordsOf(state, 'policies', AttachedLine, 'attached_to')) {
    attached.require(state, place, policy, environment);
  }
  for await (const [place, { environment, logical }] of recordsOf(state, 'environments', MemberLine, 'member_of')) {
    memberOf.require(state, place, environment, logical);
  }
  attached.finish(state);
  memberOf.finish(state);
}
