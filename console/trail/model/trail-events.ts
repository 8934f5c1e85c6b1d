import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { type StateName, stateOfReport } from '../../model/states.ts';
import type { Moment, Trail } from '../operations.ts';

/** An event of a trail as a line: what happened to what. */
export interface EventLine {
  at: number;
  /** Verdict of a report; null for events that have none. */
  state: StateName | null;
  /** What happened: `Attested`, `Started in`. */
  verb: string;
  /** What it happened to. */
  subject: string;
  /** The artifact, or where. */
  object: string | null;
  attestation: string | null;
  fingerprint: string | null;
  environment: { name: string; snapshot: number } | null;
  /** Whether an artifact stopped, rather than started, in the environment. */
  isStop: boolean;
}

const booleanOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Describes the events of a trail, the newest first. An unknown kind of event is shown with its own name. */
export const eventLines = ({ events }: Trail): EventLine[] => events.map(lineOf).reverse();

function lineOf(event: Trail['events'][number]): EventLine {
  const { type, timestamp: at } = event;
  const fingerprint = textOf(event['artifact_fingerprint']);
  const name = textOf(event['template_reference_name']) ?? '';
  const base = { at, state: null, object: null, attestation: null, fingerprint, environment: null, isStop: false };
  switch (type) {
    case 'trail_reported':
      return { ...base, verb: 'Began', subject: 'the trail' };
    case 'trail_updated':
      return { ...base, verb: 'Updated', subject: changesOf(event['changes']) };
    case 'artifact_creation_reported':
      return {
        ...base,
        verb: 'Reported artifact',
        subject: name,
        object: shortName(textOf(event['artifact_name']) ?? '') || null,
      };
    case 'artifact_started_running':
    case 'artifact_stopped_running':
      return {
        ...base,
        verb: type === 'artifact_started_running' ? 'Started' : 'Stopped',
        subject: name,
        environment: environmentOf(event),
        isStop: type === 'artifact_stopped_running',
      };
    case 'trail_attestation_reported':
    case 'trail_attestation_for_artifact_reported':
    case 'artifact_attestation_reported':
      return {
        ...base,
        state: stateOfReport(event['attestation_type'], booleanOf(event['is_compliant'])),
        verb: event['attestation_type'] === 'override' ? 'Overrode' : 'Attested',
        subject: name,
        object: textOf(event['target_artifact']),
        attestation: textOf(event['attestation_id']),
      };
    default:
      return { ...base, verb: type.replaceAll('_', ' '), subject: name };
  }
}

/** What happened at a moment, as one line. */
export function momentText({ kind, artifact, attestation, changes, erased }: Moment): string {
  if (erased) return 'Its text was erased';
  if (artifact) return `Reported artifact ${artifact.template_reference_name}`;
  if (attestation) {
    const {
      attestation_name: name,
      attestation_type: type,
      is_compliant: compliant,
      target_artifacts: targets,
    } = attestation;
    const about = targets.length === 0 ? '' : ` of ${targets.join(', ')}`;
    return `${type === 'override' ? 'Overrode' : 'Attested'} ${name}${about}: ${compliant ? 'compliant' : 'not compliant'}`;
  }
  return kind === 'trail_reported' ? 'Began the trail' : `Updated ${changesOf(changes)}`;
}

const changesOf = (changes: unknown): string =>
  Array.isArray(changes) && changes.length > 0 ? changes.map(String).join(', ') : 'the trail';

function environmentOf(event: Trail['events'][number]): EventLine['environment'] {
  const name = textOf(event['environment_name']);
  const index = event['snapshot_index'];
  return name === null ? null : { name, snapshot: typeof index === 'number' ? index : 1 };
}
