import { expect, test } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import { firstMicrosFrom } from '#shared/base/time.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { readTrailItems, slotItems } from '#shared/evidence/records/trail-items.ts';
import { applyMoment, EMPTY_TRAIL, type SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { testId, testName } from '#test/support/ids.ts';

const PARTITION = trailPartition(testId('org'), testId('web'), testName('run'));
const at = firstMicrosFrom(7);

const attestation = (more: Partial<SlotChange & { kind: 'attestation' }> = {}): SlotChange => ({
  kind: 'attestation',
  scope: { kind: 'trail' },
  name: 'provenance',
  type: 'generic',
  id: testId<AttestationId>('aaaaaaaa-bbbb-cccc-dddd-eeeeeeee'),
  compliant: true,
  overridden: null,
  ...more,
});

const proof = {
  grade: 'signed',
  signer: { name: 'release', version: 2 },
  statement: { predicate_type: 'https://slsa.dev/provenance/v1', builder: { id: 'https://builder.example' } },
} as const;

const after = (...all: SlotChange[]) =>
  all.reduce(
    (state, change) =>
      applyMoment(state, {
        kind: 'trail_attestation_reported',
        at,
        template: null,
        ownTemplate: null,
        fields: null,
        changes: [change],
      }),
    EMPTY_TRAIL,
  );

/** What a reader of the stored slots gets. The head is no matter of the slots. */
function stored(...all: SlotChange[]) {
  const state = after(...all);
  const head = {
    ...trailHeadKey(PARTITION),
    id: testId('aaaaaaaa-bbbb-cccc-dddd-fffffff1'),
    name: 'run',
    number: state.number,
    at,
    hash: new Uint8Array(),
    word: 'COMPLIANT',
    template: null,
    templateAt: at,
    ownTemplate: null,
    fields: null,
    commit: null,
    created: at,
    by: 'somebody',
    attestations: all.length,
  };
  const read = readTrailItems([head, ...slotItems(PARTITION, state, all)]);
  return { state, read: read?.state };
}

test('a stored slot keeps what is known of the signature', () => {
  const { state, read } = stored(attestation({ proof }));
  expect(read?.attestations).toEqual(state.attestations);
  expect([...(read?.attestations.values() ?? [])]).toMatchObject([{ proof }]);
});

test('a later report without a signature takes the place of a signed one', () => {
  const [slot] = stored(attestation({ proof }), attestation()).read?.attestations.values() ?? [];
  expect(slot).toMatchObject({ number: 2 });
  expect(slot).not.toHaveProperty('proof');
});
