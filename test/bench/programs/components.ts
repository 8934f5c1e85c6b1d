import { type AttestationId, newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { within } from '#shared/base/time.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { Author } from '#shared/callers/author.ts';
import { indexAttestation } from '#shared/components/index-attestation.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { type MadeAttestation, recordAttestation } from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { sbomKind } from '#shared/evidence/rules/kinds/sbom.ts';
import { askSbom } from '#shared/watches/asking/ask-sbom.ts';
import { testName } from '#test/support/ids.ts';
import { npm, sbomOf } from '#test/support/records/reported-sboms.ts';
import { type BenchStack, startBenchStack } from '../bench-stack.ts';

/**
 * `npm run bench:components`: the write units of the index for an SBOM whose components are stored and for one with 1,000 new ones, and how
 * long the expander works on an SBOM with 50,000 components. It ends with 1 if a goal is missed.
 */

const GOALS = { unchanged: 6, new: 1_100 };
/** As the expander works. */
const PIECES_MILLIS = 5_000;

/** An SBOM with so many components. @param turn changes the version of each */
const anSbom = (count: number, turn = 0): string =>
  sbomOf(
    ...Array.from({ length: count }, (_, i) => npm(`package-${(i * 7919) % count}`, `${turn}.${i % 50}.${i % 7}`)),
  );

/** Reports an SBOM as the client does. @returns the id of the attestation */
async function report({ services }: BenchStack, org: OrganizationId, file: string): Promise<AttestationId> {
  const now = services.clock.now();
  const by: Author<Reported<MadeAttestation>> = {
    org: { id: org, name: 'bench', kind: 'shared', features: [] },
    caller: { kind: 'user', id: newId<PrincipalId>(now), name: 'bench', keyId: null },
    receivedAt: now,
    claim: () => [],
  };
  const body = {
    attestation_name: 'sbom',
    type_name: 'sbom' as const,
    attestation_data: { original_fingerprint: sha256Hex(file) },
  };
  const files = [
    { part: 'attachment_file', filename: 'bom.json', contentType: 'application/json', bytes: Buffer.from(file) },
  ];
  const target = { flow: testName<FlowName>('web'), trail: testName<TrailName>('run') };
  const reported = { kind: sbomKind, body: sbomKind.schema.parse(body), bodyText: JSON.stringify(body), files };
  return (await recordAttestation(services, by, target, reported, decisionBinding)).made.id;
}

/** Works on an attestation as the expander does, call after call. @returns how many calls */
async function index({ services }: BenchStack, org: OrganizationId, attestation: AttestationId): Promise<number> {
  let calls = 0;
  let rest: Parameters<typeof indexAttestation>[1] | undefined = { org, attestation, place: null };
  while (rest) {
    calls += 1;
    const work = rest;
    rest = undefined;
    const handOver = async (next: typeof work) => {
      rest = next;
    };
    const changed = async () => {};
    await indexAttestation(
      { ...services, isTime: within(PIECES_MILLIS, Date.now), changed, handOver, askWatches: askSbom },
      work,
    );
  }
  return calls;
}

const stack = await startBenchStack();
try {
  const org = newId<OrganizationId>(stack.services.clock.now());
  const unitsOf = async (file: string) => {
    const id = await report(stack, org, file);
    const { write } = await stack.recorder.record(async () => void (await index(stack, org, id)));
    return write;
  };
  const fresh = await unitsOf(anSbom(1_000));
  const unchanged = await unitsOf(anSbom(1_000));
  const id = await report(stack, org, anSbom(50_000, 1));
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const calls = await index(stack, org, id);
  const used = process.cpuUsage(cpu);
  console.log(`1,000 new components: ${fresh} write units (goal ${GOALS.new})`);
  console.log(`the same components again: ${unchanged} write units (goal ${GOALS.unchanged})`);
  console.log(
    `50,000 new components: ${calls} calls, ${((performance.now() - began) / 1000).toFixed(1)} s, ` +
      `${((used.user + used.system) / 1e6).toFixed(1)} s of processor time`,
  );
  if (fresh > GOALS.new || unchanged > GOALS.unchanged) process.exitCode = 1;
} finally {
  await stack.stop();
}
