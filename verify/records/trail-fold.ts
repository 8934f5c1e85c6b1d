import type { FlowId, TrailId } from '#shared/base/ids.ts';
import { trailName } from '#shared/evidence/rules/moment-texts.ts';
import { hasSignature } from '#shared/evidence/rules/recalled.ts';
import { EMPTY_TEMPLATE, type Template } from '#shared/evidence/rules/template.ts';
import {
  applyMoment,
  EMPTY_TRAIL,
  hasAttestation,
  sumOfSlots,
  type TrailState,
} from '#shared/evidence/rules/trail-state.ts';
import { trailWord } from '#shared/evidence/rules/verdict.ts';
import { Fault } from '../fault.ts';
import type { Standing } from '../scope.ts';
import { type MomentLine, type ProvedMoment, verifyMoment } from './moment-lines.ts';
import type { ProofState } from './proof-state.ts';
import { type Templates, templateOf } from './template-lines.ts';

const MOMENT = 'moments/moment';
/** Keys of commitments whose texts stand in other lines. */
export const recordKey = (id: string): string => `record ${id}`;
export const fieldsKey = (flow: string, trail: string, number: number): string => `fields ${flow} ${trail} ${number}`;

/** A repository that a trail keeps from a moment on. */
interface KeptRepo {
  number: number;
  digest: string;
  isProved: boolean;
}

export interface FoldedTrail {
  id: TrailId;
  flow: FlowId;
  name: string;
  /** Name of the flow at the last proved moment. */
  flowName: string;
  /** Number of the last moment of the export, also after the checkpoint. */
  last: number;
  /** Members of the head after the last proved moment; undefined if all moments came after the checkpoint. */
  head: Record<string, unknown> | undefined;
  /** How erased details of a proved moment stand. They do not say any more what the head names. */
  erased: Standing | undefined;
  /** Digests of commits that moments name: whether a proved one does. */
  commits: Map<string, boolean>;
  /** Digests of own fields by the number of the moment that brought them; null if the moment's details were erased. */
  fields: Map<number, string | null>;
  repos: Map<string, KeptRepo>;
}

/**
 * Verifies the moments of one trail in their order, and folds those that the log proves to the trail's state. Moments after
 * the checkpoint decide nothing (rules/verification.md#verdicts).
 */
export class TrailFold {
  readonly trail: FoldedTrail;
  readonly #proofs: ProofState;
  readonly #templates: Templates;
  #state: TrailState = EMPTY_TRAIL;
  #attestations = 0;
  #hash = '0'.repeat(64);
  #proved = { place: '', word: '' };

  constructor(proofs: ProofState, templates: Templates, { trail: id, flow, name }: MomentLine) {
    this.#proofs = proofs;
    this.#templates = templates;
    const nothing = { last: 0, head: undefined, erased: undefined };
    this.trail = { id, flow, name, flowName: '', ...nothing, commits: new Map(), fields: new Map(), repos: new Map() };
  }

  add(place: string, moment: MomentLine): void {
    const { number, previous, hash } = moment;
    const { last } = this.trail;
    const text = this.#proofs.chains.text({ kind: 'trail', flow: moment.flow, trail: moment.trail, number });
    if (number !== last + 1) throw new Fault(place, `${text} comes after moment ${last}`);
    if (previous !== this.#hash) throw new Fault(place, `${text} does not name the hash of moment ${last}`);
    const proved = verifyMoment(this.#proofs, place, moment);
    if (moment.name !== this.trail.name)
      throw new Fault(place, `${text} names trail ${moment.name}, the moments before name trail ${this.trail.name}`);
    if (proved.index !== undefined) this.#learnName(moment, proved);
    this.#expectTexts(place, moment, proved);
    this.#fold(place, moment, proved);
    this.#proofs.scope.stands(MOMENT, proved.standing);
    this.trail.last = number;
    this.#hash = hash;
  }

  #learnName({ flow, trail, number }: MomentLine, { lasting: { names } }: ProvedMoment): void {
    if (this.trail.flowName === names.flow) return;
    this.trail.flowName = names.flow;
    this.#proofs.chains.learnName({ kind: 'trail', flow, trail, number }, trailName(names));
  }

  /** Notes the texts that other lines have to have. */
  #expectTexts(place: string, moment: MomentLine, { lasting, details, index, standing }: ProvedMoment): void {
    const { flow, name: trail, number, record, commitments } = moment;
    const { record: ofRecord, facts, fields } = commitments;
    const isProved = index !== undefined;
    if (record !== undefined && ofRecord !== undefined) {
      if (!lasting.changes.some((change) => change.kind !== 'repo' && change.id === record))
        throw new Fault(place, 'the moment does not say what its record changed');
      this.#proofs.signed.add(record, lasting.changes);
      this.#proofs.pledge(recordKey(record), { name: 'record', commitment: ofRecord, index, repeats: facts });
    }
    const isErased = moment.detailsSalt === undefined;
    if (fields !== undefined) {
      this.#proofs.pledge(fieldsKey(flow, trail, number), { name: 'fields', commitment: fields, index });
      this.trail.fields.set(number, isErased ? null : details.fields);
    }
    if (isErased && isProved) this.trail.erased = standing;
    const { commits, repos } = this.trail;
    if (details.commit !== undefined) commits.set(details.commit, isProved || commits.get(details.commit) === true);
    for (const template of [lasting.template, lasting.ownTemplate])
      if (template !== null) this.#templates.names(template, isProved);
    const repo = lasting.changes.find((change) => change.kind === 'repo');
    if ((repo === undefined) !== (lasting.repoDigest === undefined))
      throw new Fault(place, 'the moment does not say which repository its trail keeps');
    if (repo && lasting.repoDigest !== undefined) repos.set(repo.id, { number, digest: lasting.repoDigest, isProved });
  }

  #fold(place: string, moment: MomentLine, { lasting, details, index }: ProvedMoment): void {
    const { kind, at, number, hash } = moment;
    const { changes, template, ownTemplate, word, attestations } = lasting;
    this.#attestations += hasAttestation(changes) ? 1 : 0;
    if (attestations !== this.#attestations)
      throw new Fault(place, `the moment counts ${attestations} attestations, the moments have ${this.#attestations}`);
    const change = { kind, at, template, ownTemplate, changes, fields: details.fields, by: lasting.by };
    this.#proofs.aged.add(this.trail.id, change);
    if (index === undefined) return;
    // An entry proves all entries before it, so no proved moment follows one that came after the checkpoint.
    this.#state = applyMoment(this.#state, change);
    this.#proved = { place, word };
    const { id, name, head, erased } = this.trail;
    const author = number === 1 && !erased ? details.by.name : head?.['by'];
    this.trail.head = {
      ...{ id, name, number, at, hash, word, template, ownTemplate, attestations },
      ...{ templateAt: this.#state.templateAt, slots: sumOfSlots(this.#state) },
      created: head?.['created'] ?? at,
      signed: hasSignature(this.#state) || undefined,
      ...(author !== undefined && { by: author }),
      ...(!erased && { fields: details.fields, commit: details.commit ?? head?.['commit'] ?? null }),
    };
  }

  /** Compares the verdict of the last proved moment with the one that the rules give now. @throws Fault, also about ages */
  finish(): FoldedTrail {
    this.#proofs.aged.finish(this.trail.id);
    const { place, word } = this.#proved;
    if (!this.trail.head) return this.trail;
    const { template: digest } = this.#state;
    const template: Template | null = digest === null ? EMPTY_TEMPLATE : templateOf(this.#templates, place, digest);
    // Erased: what the template required is not known any more.
    if (template === null) {
      this.#proofs.scope.note(MOMENT, 'some verdicts cannot be computed again, because their template was erased');
      return this.trail;
    }
    const computed = trailWord(this.#state, template);
    if (word !== computed) throw new Fault(place, `the verdict of the trail is ${word}, its moments give ${computed}`);
    this.#proofs.verdicts.set(word, (this.#proofs.verdicts.get(word) ?? 0) + 1);
    return this.trail;
  }
}
