import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { dateOf } from '#shared/environments/rules/deployment-frequency.ts';
import {
  type LastReport,
  presentState,
  shortestSilence,
  silenceReason,
} from '#shared/environments/rules/reports/present-state.ts';
import { Fault } from '../fault.ts';
import { instantText } from '../instant.ts';
import { Instant, recordsOf } from '../records/lines.ts';
import type { LastDays } from '../records/presence.ts';
import type { ProofState } from '../records/proof-state.ts';

const Times = z.looseObject({ environment: EnvironmentId, r: Instant });
const Policy = z.looseObject({ policy: z.string(), silence: z.int().optional() });
const Head = z.looseObject({
  id: EnvironmentId,
  name: z.string(),
  kind: z.string(),
  archived: z.unknown().nullable(),
  state: z.boolean().nullable(),
  policies: z.array(z.string()),
  members: z.array(EnvironmentId),
  freshUntil: Instant.optional(),
});

/**
 * Compares the last report of each environment with its presence, and computes the states of environments as of the newest proved
 * record: from what is stored, `max_silence` of the policies, and the ages of attestations (rules/verification.md#silence).
 *
 * @returns the states by their words, for the output
 * @throws Fault if a last report does not fit the presence
 */
export async function verifySilences(state: ProofState, days: LastDays): Promise<ReadonlyMap<string, number>> {
  const heads = new Map<string, z.infer<typeof Head>>();
  for await (const [, head] of recordsOf(state, 'environments', Head, 'environment')) heads.set(head.id, head);
  const reports = new Map<string, Micros>();
  for await (const [place, { environment, r }] of recordsOf(state, 'environments', Times, 'times')) {
    const wrong = wrongReport(r, days.get(environment));
    if (wrong !== null)
      throw new Fault(
        place,
        `the last report of environment ${heads.get(environment)?.name} is of ${instantText(r)}, ${wrong}`,
      );
    reports.set(environment, r);
  }
  const allowed = new Map<string, number | undefined>();
  for await (const [, { policy, silence }] of recordsOf(state, 'policies', Policy, 'policy'))
    allowed.set(policy, silence);
  const states = new Map<string, number>();
  for (const { id, kind, archived, policies, members, ...stored } of heads.values()) {
    if (archived !== null) continue;
    const limit = shortestSilence(policies.map((policy) => allowed.get(policy)));
    const about =
      kind === 'logical' ? members.map((member) => [member, heads.get(member)?.name ?? member] as const) : [];
    const last: LastReport[] =
      kind === 'logical'
        ? about.map(([member, name]) => ({ member: name, at: reports.get(member) ?? EPOCH }))
        : [{ member: null, at: reports.get(id) ?? EPOCH }];
    const present = presentState(stored, silenceReason(limit, last, state.newest), state.newest);
    const word = wordOf(present);
    states.set(word, (states.get(word) ?? 0) + 1);
  }
  return states;
}

const wordOf = ({ state, reason }: { state: boolean | null; reason: string | null }): string => {
  if (state === null) return reason === null ? 'unknown' : 'silent';
  if (state) return 'compliant';
  return reason === null ? 'not compliant' : 'too old';
};

function wrongReport(last: Micros, day: ReturnType<LastDays['get']>): string | null {
  if (!day || last === day.last || (last > day.last && dateOf(last) > day.date)) return null;
  return `its presence of ${day.date} has the last one at ${instantText(day.last)}`;
}
