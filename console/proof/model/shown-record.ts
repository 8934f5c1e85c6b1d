import type { SnapshotRows } from '../../environment/operations.ts';
import type { Evaluation } from '../../evaluation/operations.ts';
import type { AuditEntry } from '../../organization/operations.ts';
import type { Artifact } from '../../release/operations.ts';
import type { Attestation, Trail } from '../../trail/operations.ts';
import type { Check, CheckedReceipt } from './check-receipt.ts';
import { canonicalJson } from './encoding.ts';

/** The record on a page, as the API answered it, with what names its receipt. */
export type ShownRecord =
  | { kind: 'attestation'; org: string; trail: Trail; attestation: Attestation }
  | { kind: 'artifact'; org: string; artifact: Artifact }
  | { kind: 'trail'; org: string; trail: Trail }
  | { kind: 'snapshot'; org: string; env: string; snapshot: SnapshotRows }
  | { kind: 'audit'; org: string; entry: AuditEntry }
  | { kind: 'evaluation'; org: string; evaluation: Evaluation };

/** A fact of a record: what the page shows, and what the text in the log says. */
type Fact = readonly [name: string, shown: unknown, logged: unknown];

const isMoment = ({ type }: Trail['events'][number]): boolean => !/^artifact_(?:started|stopped)_running$/.test(type);

/** The number of a trail's moment: the moment of a report by its id, or the last one. Each moment is one event. */
export function momentNumber({ events }: Pick<Trail, 'events'>, id?: string): number | null {
  const moments = events.filter(isMoment);
  if (id === undefined) return moments.length === 0 ? null : moments.length;
  const at = moments.findIndex((event) => event['attestation_id'] === id || event['artifact_id'] === id);
  return at < 0 ? null : at + 1;
}

/** Microseconds, as the log has them, in the seconds of the API. */
const seconds = (micros: unknown): unknown => (typeof micros === 'number' ? micros / 1e6 : micros);

/**
 * Compares what a page shows of a record with the texts that its entry commits to. Names of flows and environments are left out: they
 * can be renamed later.
 */
export function recordCheck(shown: ShownRecord, { header, texts }: CheckedReceipt): Check {
  const facts = header === null ? [] : [...factsOf(shown, jsonOf(texts)), ...factsOfHeader(shown, header)];
  const wrong = facts.filter(([, one, other]) => canonicalJson(one ?? null) !== canonicalJson(other ?? null));
  const names = facts.map(([name]) => name).join(', ');
  const differences = wrong.map(
    ([name, one, other]) => `${name} is ${shortOf(one)} here and ${shortOf(other)} in the log`,
  );
  return {
    name: 'record',
    isRight: header !== null && wrong.length === 0,
    says:
      wrong.length === 0
        ? `What this page shows is what the log has: ${names}.`
        : `This page shows something else than the log: ${differences.join('; ')}.`,
  };
}

const LONGEST = 80;
function shortOf(value: unknown): string {
  const text = canonicalJson(value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The texts under the commitments as JSON, by name. A text that was erased or that is wrong is an empty object. */
function jsonOf(texts: ReadonlyMap<string, string | null>): (name: string) => Json {
  return (name) => {
    const text = texts.get(name);
    if (text === undefined || text === null) return {};
    // The text is the one under its commitment, so the service wrote it as JSON.
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  };
}

function factsOf(shown: ShownRecord, logged: (name: string) => Json): Fact[] {
  switch (shown.kind) {
    case 'attestation':
      return attestationFacts(shown.attestation, logged('record'));
    case 'artifact':
      return artifactFacts(shown.artifact, logged('record'));
    case 'trail':
      return trailFacts(shown.trail, logged('moment'));
    case 'snapshot':
      return snapshotFacts(shown.snapshot, logged('summary'), logged('content'));
    case 'audit':
      return auditFacts(shown.entry, logged('entry'), logged('values'));
    case 'evaluation':
      return evaluationFacts(shown.evaluation, logged('evaluation'), logged('result'));
  }
}

function attestationFacts(attestation: Attestation, record: Json): Fact[] {
  const files = objectsIn(record['files']);
  return [
    ['id', attestation.attestation_id, record['id']],
    ['name', attestation.attestation_name, record['name']],
    ['type', attestation.attestation_type, record['type']],
    ['verdict', attestation.is_compliant, record['compliant']],
    ['artifact', attestation.artifact_fingerprint, record['fingerprint']],
    ['trail', attestation.trail_name, record['trail']],
    ['time', attestation.created_at, seconds(record['at'])],
    [
      'files',
      attestation.attachments.map(({ filename, size }) => ({ filename, size })),
      files.map(({ filename, size }) => ({ filename, size })),
    ],
  ];
}

const artifactFacts = (artifact: Artifact, record: Json): Fact[] => [
  ['id', artifact.artifact_id, record['id']],
  ['fingerprint', artifact.fingerprint, record['fingerprint']],
  ['name in the template', artifact.template_reference_name, record['name']],
  ['commit', artifact.git_commit, record['commit']],
  ['trail', artifact.trail_name, record['trail']],
  ['time', artifact.created_at, seconds(record['at'])],
];

function trailFacts(trail: Trail, moment: Json): Fact[] {
  const names = isObject(moment['names']) ? moment['names'] : {};
  return [
    ['trail', trail.name, names['trail']],
    ['verdict', trail.compliance_state, moment['word']],
  ];
}

function snapshotFacts(snapshot: SnapshotRows, summary: Json, content: Json): Fact[] {
  const rowOf = (fingerprint: unknown, name: unknown, state: unknown): string =>
    canonicalJson([fingerprint, name, state]);
  return [
    ['verdict', snapshot.state, summary['state']],
    [
      'artifacts',
      snapshot.artifacts.map(({ fingerprint, name, state }) => rowOf(fingerprint, name, state)).toSorted(),
      objectsIn(content['rows'])
        .map(({ fingerprint, name, compliant }) => rowOf(fingerprint, name, compliant))
        .toSorted(),
    ],
  ];
}

function auditFacts({ actor, subject, before, after, erased }: AuditEntry, entry: Json, values: Json): Fact[] {
  const { kind, id, name, key_id } = isObject(entry['actor']) ? entry['actor'] : {};
  return [
    ['caller', { kind: actor.kind, id: actor.id, name: actor.name, key_id: actor.key_id }, { kind, id, name, key_id }],
    ['subject', subject, entry['subject']],
    // An erasure removes the values from the page as well.
    ...(erased
      ? []
      : ([
          ['values before', before, values['before']],
          ['values after', after, values['after']],
        ] as const)),
  ];
}

function evaluationFacts(evaluation: Evaluation, text: Json, logged: Json): Fact[] {
  const { result, proof, error, erased } = evaluation;
  const inText = (name: string): Json => (isObject(text[name]) ? text[name] : {});
  return [
    ['status', evaluation.status, text['status']],
    ['time of the request', evaluation.requested_at, seconds(text['requested'])],
    ['caller', evaluation.requested_by, inText('by')['name']],
    ['time of the trails', evaluation.recorded_at, seconds(text['recorded'])],
    ['program', proof?.policy_sha256, inText('proof')['policy']],
    ['engine', proof?.engine_version, inText('proof')['version']],
    ['error', error?.kind, inText('error')['kind']],
    ['decision', evaluation.decision_attestation_id, text['decisionId']],
    // An erasure removes the result from the page as well, and leaves the verdict in the text.
    ...(erased
      ? []
      : ([
          ['verdict', result?.allow, text['allow']],
          ['violations', result?.violations, logged['violations']],
        ] as const)),
  ];
}

/** What only the header has: numbers, ids, and the times of snapshots and changes. */
function factsOfHeader(shown: ShownRecord, header: NonNullable<CheckedReceipt['header']>): Fact[] {
  if (shown.kind === 'snapshot') {
    return [
      ['number', shown.snapshot.index, header.number],
      ['time', shown.snapshot.timestamp, seconds(header.at)],
    ];
  }
  if (shown.kind === 'trail') return [['number of moments', momentNumber(shown.trail), header.number]];
  if (shown.kind === 'audit') {
    const { id, kind, at } = shown.entry;
    return [
      ['id', id, header.subject['entry']],
      ['change', kind, header.kind],
      ['time', at, seconds(header.at)],
    ];
  }
  if (shown.kind === 'evaluation') return [['id', shown.evaluation.id, header.subject['evaluation']]];
  return [];
}
