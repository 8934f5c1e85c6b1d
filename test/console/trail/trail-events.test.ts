import { describe, expect, it } from 'vitest';
import { eventLines, momentText } from '#console/trail/model/trail-events.ts';
import type { Trail } from '#console/trail/operations.ts';

describe('events of a trail', () => {
  it('are lines, the newest first; unknown kinds keep their names', () => {
    const events = [
      { type: 'trail_reported', timestamp: 1 },
      { type: 'artifact_started_running', timestamp: 2, environment_name: 'prod', snapshot_index: 3 },
      {
        type: 'trail_attestation_reported',
        timestamp: 3,
        is_compliant: false,
        attestation_id: 'x',
        template_reference_name: 'lint',
      },
      { type: 'something_new', timestamp: 4 },
    ];
    const lines = eventLines({ events } as unknown as Trail);
    expect(lines.map(({ verb, subject, state }) => [verb, subject, state])).toEqual([
      ['something new', '', null],
      ['Attested', 'lint', 'non-compliant'],
      ['Started', '', null],
      ['Began', 'the trail', null],
    ]);
    expect(lines[2]?.environment).toEqual({ name: 'prod', snapshot: 3 });
  });

  it('moments are told by what they are about', () => {
    const moment = { kind: 'trail_updated', artifact: null, attestation: null, changes: ['description'] };
    expect(momentText(moment as never)).toBe('Updated description');
    expect(momentText({ ...moment, kind: 'trail_reported' } as never)).toBe('Began the trail');
    const attestation = {
      attestation_name: 'a',
      attestation_type: 'override',
      is_compliant: true,
      target_artifacts: ['app'],
    };
    expect(momentText({ ...moment, attestation } as never)).toBe('Overrode a of app: compliant');
  });
});
