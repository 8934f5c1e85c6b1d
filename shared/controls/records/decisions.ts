import * as z from 'zod';
import {
  AttestationId,
  type Fingerprint,
  FlowId,
  firstIdAt,
  type Id,
  type OrganizationId,
  timeOfId,
} from '#shared/base/ids.ts';
import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { SlotProof } from '#shared/evidence/rules/slot-proof.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { ControlDecision } from '../rules/decisions.ts';
import type { DecisionFacts } from '../rules/requirements.ts';
import { decisionPartition } from './keys.ts';

/** Flow and grade are absent in items of releases before requirements of controls. Only a decision that came as a bundle has a proof. */
const DecisionItem = z.object({
  sk: z.string(),
  r: AttestationId,
  n: z.string(),
  c: z.boolean(),
  f: FlowId.optional(),
  g: z.enum(GRADES).default('stated'),
  p: SlotProof.optional(),
});

/** Ids have the precision of milliseconds. */
const MILLISECOND: Duration = 1_000;

/** What a decision is filed under (rules/controls.md#index-of-decisions). */
export type DecisionSubject = { fingerprint: Fingerprint } | TrailPlace;

/** A decision with its attestation, and the id of its entry. That id orders decisions of the same millisecond. */
export type StoredDecision = ControlDecision & {
  entry: Id;
  id: AttestationId;
  facts: DecisionFacts;
  proof?: SlotProof | undefined;
};

/** Which decisions to read: those about a control on one artifact or one trail. */
interface DecisionQuestion {
  control: string;
  about: DecisionSubject;
  /** How many decisions to read at most, the newest; absent = all of them. */
  limit?: number;
  /** Leaves out decisions of later milliseconds than this instant. */
  until?: Micros | undefined;
}

/** Reads the decisions of each question, newest first, in the order of the questions. */
export async function readDecisions(table: Table, org: OrganizationId, questions: readonly DecisionQuestion[]) {
  const found = await table.queryEach(
    questions.map(({ control, about, limit, until }) => ({
      pk: decisionPartition(org, control, about),
      newestFirst: true,
      ...(limit !== undefined && { limit }),
      ...(until !== undefined && { to: firstIdAt(plus(until, MILLISECOND)) }),
    })),
  );
  return questions.map(({ control }, i) => (found[i] ?? []).map((item) => storedDecision(control, item)));
}

function storedDecision(control: string, item: Item): StoredDecision {
  const { sk: entry, r: id, n: name, c: compliant, f: flow, g: grade, p: proof } = DecisionItem.parse(item);
  return {
    control,
    name,
    compliant,
    at: timeOfId(entry),
    entry,
    id,
    facts: { flow, grade, signer: proof?.signer?.name },
    proof,
  };
}
