import { expect, it } from 'vitest';
import type { EnvironmentEvent } from '#console/environment/operations.ts';
import { addressOfEvent, addressOfLine } from '#console/notification/model/event-address.ts';
import { eventLines } from '#console/trail/model/trail-events.ts';
import type { Trail } from '#console/trail/operations.ts';

const started = {
  type: 'started',
  environment_name: 'prod',
  snapshot_index: 7,
  sha256: 'ab12',
  artifact_name: 'web',
} as EnvironmentEvent;

const linesOf = (...events: object[]) =>
  eventLines({ events: events.map((event) => ({ timestamp: 1, ...event })) } as unknown as Trail);

it('names an artifact that started or exited by environment, snapshot, trigger, fingerprint and name', () => {
  const place = { environment: 'prod', snapshot: 7, fingerprint: 'ab12', artifact_name: 'web' };
  expect(addressOfEvent(started)).toEqual({ ...place, trigger: 'ON_STARTED_ARTIFACT' });
  expect(addressOfEvent({ ...started, type: 'exited' })).toEqual({ ...place, trigger: 'ON_EXITED_ARTIFACT' });
});

it.each(['changed', 'updated-provenance'] as const)('names no event for «%s», which notifies nobody', (type) => {
  expect(addressOfEvent({ ...started, type })).toBeNull();
});

it('names the events of a trail: attestations by id, runtime events by snapshot, others not', () => {
  const runtime = { artifact_fingerprint: 'ab12', environment_name: 'prod', snapshot_index: 7 };
  const lines = linesOf(
    { type: 'trail_reported' },
    { type: 'trail_attestation_reported', attestation_id: 'id-1', is_compliant: true },
    { type: 'artifact_started_running', ...runtime },
    { type: 'artifact_stopped_running', ...runtime },
  );
  const place = { environment: 'prod', snapshot: 7, fingerprint: 'ab12' };
  expect(lines.map(addressOfLine)).toEqual([
    { ...place, trigger: 'ON_EXITED_ARTIFACT' },
    { ...place, trigger: 'ON_STARTED_ARTIFACT' },
    { attestation_id: 'id-1' },
    null,
  ]);
});
