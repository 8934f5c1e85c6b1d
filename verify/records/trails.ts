import { hash } from 'node:crypto';
import * as z from 'zod';
import { FlowId, TrailId } from '#shared/base/ids.ts';
import { EMPTY_TEMPLATE, readStoredTemplate, type Template, TemplateError } from '#shared/evidence/rules/template.ts';
import {
  applyMoment,
  EMPTY_TRAIL,
  MOMENT_KINDS,
  type SlotChange,
  type TrailState,
} from '#shared/evidence/rules/trail-state.ts';
import { trailWord } from '#shared/evidence/rules/verdict.ts';
import { Fault } from '../fault.ts';
import { Body, openBody } from './bodies.ts';
import { Commitments, fitting, Hex32, LogIndex, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const MomentLine = z.object({
  number: z.int().min(1),
  kind: z.enum(MOMENT_KINDS),
  at: z.int(),
  flow: FlowId,
  trail: TrailId,
  name: z.string(),
  record: z.string().optional(),
  body: z.string(),
  /** Absent if the moment was erased. */
  salt: Hex32.optional(),
  erased: z.unknown().optional(),
  commitments: Commitments,
  previous: z.string(),
  hash: z.string(),
  log_index: LogIndex,
});
type MomentLine = z.infer<typeof MomentLine>;

/** What the verdict needs of a moment (rules/trails.md#contents-of-a-moment). */
const MomentBody = z.object({
  changes: z.array(z.custom<SlotChange>((value) => typeof value === 'object' && value !== null && 'kind' in value)),
  template: z.string().nullable(),
  ownTemplate: z.string().nullable(),
  fields: z.string().nullable(),
  word: z.string(),
});

/** Keys of commitments whose texts stand in other lines. */
export const recordKey = (id: string): string => `record ${id}`;
const fieldsKey = (flow: string, trail: string, number: number): string => `fields ${flow} ${trail} ${number}`;

/** What the record of an attestation or an artifact repeats of its moment. */
interface Repeated {
  flow: string;
  trail: string;
  number: number;
  at: number;
  name: string;
  compliant?: boolean | undefined;
  fingerprint?: string | null | undefined;
  commit?: string | undefined;
}

/** Returns the digest of the facts that the log proves of an attestation or an artifact, in hex. */
function repeatedDigest(family: 'attestation' | 'artifact', record: Repeated): string {
  const { flow, trail, number, at, name, compliant, fingerprint, commit } = record;
  const own = family === 'attestation' ? [compliant] : [fingerprint, commit];
  return hash('sha256', JSON.stringify([family, flow, trail, number, at, name, ...own]));
}

type Templates = ReadonlyMap<string, Template | null>;

/** The last moment of a trail that the export has. */
interface LastMoment {
  number: number;
  word: string;
}

/** Verifies moments, the records and fields that they commit to, and the verdicts of trails. @throws Fault */
export async function verifyTrails(state: ProofState): Promise<void> {
  const templates = await readTemplates(state);
  const last = new Map<string, LastMoment>();
  let trail: TrailFold | undefined;
  for await (const { place, item, record } of linesOf(state, 'moments')) {
    if (item !== 'moment') throw new Fault(place, `a line of moments is '${item}'`);
    const moment = fitting(place, MomentLine, record);
    if (trail?.id !== moment.trail) {
      trail?.finish();
      if (last.has(moment.trail)) throw new Fault(place, `moments of trail ${moment.trail} are in two places`);
      trail = new TrailFold(state, templates, moment.trail);
    }
    last.set(moment.trail, trail.add(place, moment));
  }
  trail?.finish();
  await verifyTrailLines(state, last);
  for (const family of ['attestation', 'artifact'] as const) await verifyFacts(state, family);
}

/** Verifies the moments of one trail in their order, and folds them to the trail's state. */
class TrailFold {
  readonly id: string;
  readonly #proofs: ProofState;
  readonly #templates: Templates;
  #state: TrailState = EMPTY_TRAIL;
  #last = { number: 0, word: 'COMPLIANT', hash: '0'.repeat(64), place: '' };

  constructor(proofs: ProofState, templates: Templates, id: string) {
    this.#proofs = proofs;
    this.#templates = templates;
    this.id = id;
  }

  add(place: string, moment: MomentLine): LastMoment {
    const { flow, trail, number, kind, at, record, commitments, previous, hash, body, salt } = moment;
    if (number !== this.#last.number + 1) {
      throw new Fault(place, `moment ${number} of trail ${trail} comes after moment ${this.#last.number}`);
    }
    if (previous !== this.#last.hash)
      throw new Fault(place, `the moment does not name the hash of moment ${number - 1}`);
    const index = this.#proofs.link({
      place,
      subject: { kind: 'trail', flow, trail, number },
      domain: 'delivery-evidence/trail',
      header: { subject: { flow, trail }, number, kind, at, ...(record !== undefined && { record }), commitments },
      previous,
      hash,
      index: moment.log_index,
    });
    if (salt === undefined && moment.erased === undefined)
      throw new Fault(place, 'the moment has no salt and was not erased');
    this.#proofs.open(place, 'moment', body, salt, commitments['moment']);
    const { word, ...content } = fitting(place, MomentBody, parsedBody(place, body));
    this.#pledge(place, moment, content.changes, index);
    this.#state = applyMoment(this.#state, { kind, at, ...content });
    this.#last = { number, word, hash, place };
    return { number, word };
  }

  #pledge(place: string, moment: MomentLine, changes: readonly SlotChange[], index: number | undefined): void {
    const { flow, name: trail, number, at, record, commitments } = moment;
    for (const [name, commitment] of Object.entries(commitments)) {
      if (name === 'moment') continue;
      if (name === 'fields') {
        this.#proofs.pledge(fieldsKey(flow, trail, number), { name, commitment, index });
      } else if (name === 'record' && record !== undefined) {
        const change = changes.find((one) => one.kind !== 'repo' && one.id === record);
        if (!change || change.kind === 'repo')
          throw new Fault(place, 'the moment does not say what its record changed');
        const repeats = repeatedDigest(change.kind, { ...change, flow, trail, number, at });
        this.#proofs.pledge(recordKey(record), { name, commitment, index, repeats });
      } else throw new Fault(place, `this version knows no commitment '${name}'`);
    }
  }

  /** Compares the verdict of the last moment with the one that the rules give now. */
  finish(): void {
    const { template: digest } = this.#state;
    const template = digest === null ? EMPTY_TEMPLATE : this.#templates.get(digest);
    const { place, word } = this.#last;
    if (template === undefined) throw new Fault(place, `no line of templates has the template ${digest}`);
    // Erased: what the template required is not known any more.
    if (template === null) return;
    const computed = trailWord(this.#state, template);
    if (word !== computed) throw new Fault(place, `the verdict of the trail is ${word}, its moments give ${computed}`);
    this.#proofs.counts.verdicts += 1;
  }
}

const TemplateLine = z.object({ body: Body });

/** Reads the templates by their digests; null if a template was erased. Templates can have several lines. */
async function readTemplates(state: ProofState): Promise<Templates> {
  const templates = new Map<string, Template | null>();
  for await (const { place, record } of linesOf(state, 'templates')) {
    const { body } = fitting(place, TemplateLine, record);
    const opened = await openBody(state.files, place, body);
    if (opened && 'sha256' in body) templates.set(body.sha256, readTemplate(place, opened.text.toString('utf8')));
  }
  return templates;
}

function readTemplate(place: string, text: string): Template {
  try {
    return readStoredTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) throw new Fault(place, error.message, error);
    throw error;
  }
}

const HeadLine = z.object({ id: TrailId, flow: FlowId, number: z.int(), hash: z.string(), word: z.string() });
const FieldsLine = z.object({ number: z.int(), body: Body, flow: FlowId, trail_name: z.string() });

/** Verifies heads and fields of trails. A head was read before the moments, so it can be older than the last moment. */
async function verifyTrailLines(state: ProofState, last: ReadonlyMap<string, LastMoment>): Promise<void> {
  for await (const { place, item, record } of linesOf(state, 'trails')) {
    if (item === 'trail') {
      const { id, flow, number, hash, word } = fitting(place, HeadLine, record);
      const newest = last.get(id);
      if (!newest || newest.number < number) {
        throw new Fault(place, `the export does not have moment ${number} of trail ${id}`);
      }
      const index = state.chains.indexOf({ kind: 'trail', flow, trail: id, number });
      if (index !== undefined && hash !== state.chains.hashAt(index).toString('hex')) {
        throw new Fault(place, `the head does not have the hash of moment ${number}`);
      }
      if (newest.number === number && word !== newest.word) {
        throw new Fault(place, `the verdict is ${word}, moment ${number} has ${newest.word}`);
      }
    } else if (item === 'fields') {
      const fields = fitting(place, FieldsLine, record);
      await state.openPledged(place, fieldsKey(fields.flow, fields.trail_name, fields.number), fields.body);
    }
  }
}

const FACTS = {
  id: z.string(),
  flow: FlowId,
  trail: z.string(),
  number: z.int(),
  at: z.int(),
  name: z.string(),
  facts: Body,
};
const FACTS_LINES = {
  attestation: z.object({ ...FACTS, compliant: z.boolean() }),
  artifact: z.object({ ...FACTS, fingerprint: z.string(), commit: z.string() }),
};

async function verifyFacts(state: ProofState, family: 'attestation' | 'artifact'): Promise<void> {
  for await (const { place, record } of linesOf(state, `${family}s`)) {
    const line = fitting<Repeated & { id: string; facts: Body }>(place, FACTS_LINES[family], record);
    await state.openPledged(place, recordKey(line.id), line.facts, repeatedDigest(family, line));
  }
}

function parsedBody(place: string, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Fault(place, 'the body of the moment is not JSON', error);
  }
}
