import { hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson, FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { detailsText, evaluationText } from '#shared/evaluations/rules/evaluation-text.ts';
import { Fault } from '../fault.ts';
import type { Standing } from '../scope.ts';
import { Body, Erased, type Opening, openBody } from './bodies.ts';
import { Commitments, fitting, Hex32, LogIndex, parsed, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const NAME = 'evaluations/evaluation';

const BODIES = ['context', 'policy', 'params', 'input', 'result'] as const;
/** The bodies that no command erases. */
const LASTING = ['context', 'policy'];

const EvaluationLine = z.strictObject({
  item: z.literal('evaluation'),
  id: z.string(),
  status: z.enum(['pending', 'completed', 'failed']),
  requested: z.int(),
  recorded: z.int(),
  deadline: z.int(),
  by: z.strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.string(),
    keyId: z.string().nullable(),
    identity: z.strictObject(VerifiedIdentity.shape).optional(),
  }),
  org: z.string(),
  host: z.string(),
  decision: z.unknown(),
  decisionId: z.string().nullable(),
  allow: z.boolean().nullable(),
  error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
  proof: z
    .strictObject({
      policy: Hex32,
      params: Hex32.nullable(),
      input: Hex32.nullable(),
      engine: z.string(),
      version: z.string(),
      language: z.string().nullable(),
    })
    .nullable(),
  context: Body,
  policy: Body,
  params: Body.nullable(),
  input: Body.nullable(),
  result: Body.nullable(),
  ended: z.int().nullable(),
  commitments: Commitments,
  salts: z.strictObject({ evaluation: Hex32.optional(), details: Hex32.optional(), error: Hex32.optional() }),
  erased: Erased.optional(),
  log_index: LogIndex,
});
type EvaluationLine = z.infer<typeof EvaluationLine>;

/** What a decision must say, by the id of the decision, and the line of the evaluation that says so. */
type Decisions = Map<string, { allow: boolean | null; place: string }>;

/**
 * Verifies evaluations with all their texts, and that the decisions that they recorded have their verdicts
 * (rules/verification.md#evaluations-of-an-export). The erasures of the audit log must be known by then.
 */
export async function verifyEvaluations(state: ProofState): Promise<void> {
  const decisions: Decisions = new Map();
  for await (const [place, line] of recordsOf(state, 'evaluations', EvaluationLine)) {
    const index = await verifyEvaluation(state, place, line);
    if (index !== undefined && line.decisionId !== null) decisions.set(line.decisionId, { allow: line.allow, place });
  }
  await verifyDecisions(state, decisions);
}

/** @returns the index of the entry; undefined if the log of the export ends before it */
async function verifyEvaluation(state: ProofState, place: string, line: EvaluationLine): Promise<number | undefined> {
  const { id, ended, commitments, salts } = line;
  const subject = { kind: 'evaluation', evaluation: id } as const;
  if (ended === null) {
    // Only an evaluation that ended has an entry.
    if (state.chains.indexOf(subject) !== undefined || line.status !== 'pending') {
      throw new Fault(place, `evaluation ${id} has ended, and its line says that it has not`);
    }
    state.scope.stands(NAME, 'later');
    return undefined;
  }
  const index = state.link({
    place,
    subject,
    domain: 'delivery-evidence/evaluation',
    header: { subject: { evaluation: id }, number: 0, kind: 'evaluation', at: ended, commitments },
    previous: Buffer.from(FIRST_PREVIOUS).toString('hex'),
    index: line.log_index,
  });
  if (salts.evaluation === undefined) throw new Fault(place, `evaluation ${id} has no salt of its facts`);
  state.open(place, 'evaluation', { salt: salts.evaluation, text: evaluationText(line) }, commitments['evaluation']);
  const erasures = await verifyTexts(state, place, line, index);
  state.scope.stands(NAME, index === undefined ? 'later' : standingOf(erasures));
  return index;
}

const standingOf = (erasures: readonly Standing[]): Standing =>
  erasures.includes('later') ? 'later' : (erasures[0] ?? 'proved');

/** Verifies each text of an evaluation. @returns how the erasures of those that are gone stand */
async function verifyTexts(
  state: ProofState,
  place: string,
  line: EvaluationLine,
  index: number | undefined,
): Promise<Standing[]> {
  const { commitments, salts, error, erased } = line;
  const open = new Map<string, Opening | null>();
  for (const name of BODIES) {
    const body = line[name];
    if (body) open.set(name, await openBody(state.files, place, body));
  }
  const details = detailsText(line);
  if (details !== null || 'details' in commitments) open.set('details', textOf(salts.details, details));
  if (error) open.set('error', textOf(salts.error, erased && error.message === '' ? null : error.message));
  const names = Object.keys(commitments).filter((name) => name !== 'evaluation');
  if (canonicalJson([...open.keys()].sort()) !== canonicalJson(names.sort())) {
    throw new Fault(place, `the line has the texts ${[...open.keys()].sort()}, its entry commits to ${names}`);
  }
  const erasures: Standing[] = [];
  for (const [name, opened] of open) {
    if (opened) {
      state.open(place, name, opened, commitments[name]);
      continue;
    }
    if (erased === undefined || LASTING.includes(name)) {
      throw new Fault(place, `the text under '${name}' is gone, and the line does not say that it was erased`);
    }
    erasures.push(state.erased(place, index, name));
  }
  verifyRepeats(place, line, open);
  return erasures;
}

/** A text that lies beside its salt. Without a salt there must be no text. */
function textOf(salt: string | undefined, text: string | null): Opening | null {
  return salt === undefined && text === null ? null : { salt: salt ?? '', text: text ?? '' };
}

const Verdict = z.object({ allow: z.boolean() });

/** Verifies what a line says again of its texts: digests, times of erasures, and the verdict. */
function verifyRepeats(
  place: string,
  { proof, allow, params, erased, ...line }: EvaluationLine,
  open: ReadonlyMap<string, Opening | null>,
): void {
  const digestOf = (name: string) => {
    const opened = open.get(name);
    return opened ? hash('sha256', opened.text) : null;
  };
  const wrong = (what: string) => new Fault(place, `the line has another ${what} than its texts`);
  if (proof) {
    if (proof.policy !== digestOf('policy')) throw wrong('digest of the policy');
    const isParams = proof.params === (params ? digestOf('params') : hash('sha256', ''));
    if (!isParams && !(erased && proof.params === null)) throw wrong('digest of the parameters');
    if (proof.input !== digestOf('input')) throw wrong('digest of the input');
  }
  const result = open.get('result');
  if (result) {
    const stated = fitting(place, Verdict, parsed(place, result.text.toString(), 'result'));
    if (stated.allow !== allow) throw wrong('verdict');
  }
  for (const body of [params, line.input, line.result]) {
    if (body && 'erased' in body && canonicalJson(body.erased) !== canonicalJson(erased ?? null)) {
      throw wrong('time or reason of the erasure');
    }
  }
}

const DecisionLine = z.object({ id: z.string(), compliant: z.boolean() });

async function verifyDecisions(state: ProofState, decisions: Decisions): Promise<void> {
  if (decisions.size === 0) return;
  for await (const [place, { id, compliant }] of recordsOf(state, 'attestations', DecisionLine)) {
    const evaluated = decisions.get(id);
    if (!evaluated) continue;
    if (evaluated.allow !== compliant) {
      throw new Fault(
        place,
        `the decision has another verdict than the evaluation that recorded it, ${evaluated.place}`,
      );
    }
    decisions.delete(id);
  }
  for (const [id, { place }] of decisions) throw new Fault(place, `the export does not have the decision ${id}`);
}
