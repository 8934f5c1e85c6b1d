import { hash as digestOf } from 'node:crypto';
import * as z from 'zod';
import { FlowId, TrailId } from '#shared/base/ids.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { Fault } from '../fault.ts';
import type { Standing } from '../scope.ts';
import { Body, NamedBody, openNamedBody } from './bodies.ts';
import { fitting, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';
import { type FoldedTrail, fieldsKey } from './trail-fold.ts';

const PLACE = { flow: FlowId, trail_name: z.string() };
const Placed = z.looseObject(PLACE);
const HeadLine = z.strictObject({
  item: z.literal('trail'),
  ...PLACE,
  id: TrailId,
  name: z.string(),
  number: z.int(),
  at: z.int(),
  hash: z.string(),
  word: z.string(),
  template: z.string().nullable(),
  templateAt: z.int(),
  ownTemplate: z.string().nullable(),
  fields: z.string().nullable(),
  commit: z.string().nullable(),
  created: z.int(),
  by: z.string(),
  slots: z.int(),
  attestations: z.int(),
  /** Present if a slot has a signature, which recalls can concern. */
  signed: z.literal(true).optional(),
});
const FieldsLine = z.strictObject({
  item: z.literal('fields'),
  ...PLACE,
  number: z.int(),
  digest: z.string(),
  body: Body,
});
const CommitLine = z.strictObject({ item: z.literal('commit'), ...PLACE, digest: z.string(), body: NamedBody });
const RepoLine = z.strictObject({
  item: z.literal('repo'),
  ...PLACE,
  n: z.int(),
  repo: z.looseObject({ inner_id: z.string() }),
});

/** What stands for the digest of fields once their text was erased. */
const REPLACEMENT = /^erased-[0-9a-f]{32}$/;

/** The trails of an export, by their ids and by the names that their lines have. */
export class TrailsOfExport {
  readonly #byId = new Map<string, FoldedTrail>();
  readonly #byName = new Map<string, FoldedTrail>();

  /** @throws Fault if another trail of the flow has the name */
  add(place: string, trail: FoldedTrail): void {
    const name = `${trail.flow} ${trail.name}`;
    if (this.#byId.has(trail.id)) throw new Fault(place, `moments of trail ${trail.name} are in two places`);
    if (this.#byName.has(name))
      throw new Fault(place, `two trails of flow ${trail.flowName} have the name ${trail.name}`);
    this.#byId.set(trail.id, trail);
    this.#byName.set(name, trail);
  }

  get all(): Iterable<FoldedTrail> {
    return this.#byId.values();
  }

  /** @throws Fault if no moment is one of the trail */
  named(place: string, { flow, trail_name: name }: { flow: string; trail_name: string }): FoldedTrail {
    const trail = this.#byName.get(`${flow} ${name}`);
    if (!trail) throw new Fault(place, `the export has no moment of a trail ${name} in flow ${flow}`);
    return trail;
  }
}

const text = ({ name, flowName }: FoldedTrail): string => `trail ${name} of flow ${flowName}`;

export async function verifyTrailLines(state: ProofState, trails: TrailsOfExport): Promise<void> {
  const seen = new Set<string>();
  /** @throws Fault if an earlier line has the same record */
  const first = (place: string, trail: FoldedTrail, what: string): void => {
    const key = `${trail.id} ${what}`;
    if (seen.has(key)) throw new Fault(place, `an earlier line has the ${what} of ${text(trail)}`);
    seen.add(key);
  };
  for await (const { place, item, record } of linesOf(state, 'trails')) {
    const trail = trails.named(place, fitting(place, Placed, record));
    if (item === 'trail') {
      first(place, trail, 'head');
      stands(state, item, verifyHead(place, trail, fitting(place, HeadLine, record)));
    } else if (item === 'fields') {
      const line = fitting(place, FieldsLine, record);
      first(place, trail, `fields of moment ${line.number}`);
      stands(state, item, await verifyFields(state, place, trail, line));
    } else if (item === 'commit') {
      const line = fitting(place, CommitLine, record);
      first(place, trail, `commit ${line.digest}`);
      stands(state, item, await verifyCommit(state, place, trail, line));
    } else if (item === 'repo') {
      const line = fitting(place, RepoLine, record);
      first(place, trail, `repository ${line.repo.inner_id}`);
      stands(state, item, verifyRepo(place, trail, line));
    }
  }
  for (const trail of trails.all) {
    const required = [
      ...(trail.head ? ['head'] : []),
      ...[...trail.commits].flatMap(([digest, isProved]) => (isProved ? [`commit ${digest}`] : [])),
      ...[...trail.repos].flatMap(([id, { isProved }]) => (isProved ? [`repository ${id}`] : [])),
    ];
    const missing = required.find((what) => !seen.has(`${trail.id} ${what}`));
    if (missing !== undefined) throw new Fault('data/records', `no line has the ${missing} of ${text(trail)}`);
  }
}

function stands(state: ProofState, item: string, standing: Standing | undefined): void {
  if (standing) state.scope.stands(`trails/${item}`, standing);
}

/** Compares a head with what the moments give. A head that was read after moments that came later says nothing. */
function verifyHead(place: string, trail: FoldedTrail, line: z.infer<typeof HeadLine>): Standing {
  const { flow: _, trail_name: __, item: ___, ...head } = line;
  const { id, name, number } = head;
  if (id !== trail.id || name !== trail.name)
    throw new Fault(place, `the line is named ${name} (${id}), its moments are of trail ${trail.name} (${trail.id})`);
  if (number > trail.last) throw new Fault(place, `the export does not have moment ${number} of ${text(trail)}`);
  const expected = trail.head;
  const proved = Number(expected?.['number'] ?? 0);
  if (number < proved) throw new Fault(place, `the head has moment ${number} of ${text(trail)}, the log has ${proved}`);
  if (!expected || number > proved) return 'later';
  const given: Record<string, unknown> = head;
  for (const [member, value] of Object.entries(expected)) {
    if (given[member] !== value)
      throw new Fault(
        place,
        `${member} of the head is ${given[member]}, moment ${number} of ${text(trail)} gives ${value}`,
      );
  }
  return trail.erased ?? 'follows';
}

async function verifyFields(
  state: ProofState,
  place: string,
  trail: FoldedTrail,
  { flow, trail_name: name, number, digest, body }: z.infer<typeof FieldsLine>,
): Promise<Standing> {
  const named = trail.fields.get(number);
  const fits = 'sha256' in body ? digest === body.sha256 : REPLACEMENT.test(digest);
  if (!fits || (named != null && 'sha256' in body && named !== digest))
    throw new Fault(place, `the fields have the digest ${digest}, moment ${number} of ${text(trail)} has ${named}`);
  // Without a moment that brought them, the fields were written after the moments had been read.
  return (await state.openPledged(place, fieldsKey(flow, name, number), body)) ?? 'later';
}

async function verifyCommit(
  state: ProofState,
  place: string,
  trail: FoldedTrail,
  { digest, body }: z.infer<typeof CommitLine>,
): Promise<Standing | undefined> {
  const opened = await openNamedBody(state.files, place, body);
  if (opened && digestOf('sha256', opened).slice(0, digest.length) !== digest)
    throw new Fault(place, `the commit does not have its digest ${digest}`);
  const isProved = trail.commits.get(digest);
  if (isProved !== undefined) return isProved ? 'follows' : 'later';
  if (trail.erased) {
    state.scope.note('trails/commit', 'a commit that only erased details named is not covered');
    return undefined;
  }
  return 'later';
}

function verifyRepo(place: string, trail: FoldedTrail, { n, repo }: z.infer<typeof RepoLine>): Standing {
  const kept = trail.repos.get(repo.inner_id);
  if (!kept) return 'later';
  if (kept.number !== n || digestOf('sha256', canonicalJson(repo)) !== kept.digest)
    throw new Fault(place, `the repository is not the one that moment ${kept.number} of ${text(trail)} keeps`);
  return kept.isProved ? 'follows' : 'later';
}
