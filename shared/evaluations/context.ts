import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { RawJson, stringify } from '#shared/base/json-text.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { readListedComponents } from '#shared/components/read-listed-components.ts';
import type { EvaluationRecord, Pin } from '#shared/evaluations/records/evaluations.ts';
import {
  attestationsNamed,
  type ComponentsRead,
  componentsForPolicy,
  componentsRead,
  expectationsForPolicy,
  inputOf,
  readsExpectations,
  type TrailOnWire,
  trailForPolicy,
} from '#shared/evaluations/rules/input.ts';
import { attestationOut, type ComponentsOut, componentsOut } from '#shared/evidence/attestation-output.ts';
import { countedTrail } from '#shared/evidence/counted-trails.ts';
import { readAttestationComponents } from '#shared/evidence/records/attestation-components.ts';
import { type AttestationRecord, readAttestations } from '#shared/evidence/records/attestation-records.ts';
import { loadTemplateAndText } from '#shared/evidence/records/templates.ts';
import { asOfMoment, readTrailOfFlow } from '#shared/evidence/records/trail-records.ts';
import { hasSignature } from '#shared/evidence/rules/recalled.ts';
import { mayHaveSbom } from '#shared/evidence/rules/sbom/may-have-sbom.ts';
import { trailOut } from '#shared/evidence/trail-output.ts';
import { readExpectationsAt } from '#shared/expectations/read-expectations-at.ts';
import { readRecallsAt } from '#shared/signers/read-recalls-at.ts';

/** Largest input of a policy, in bytes (rules/evaluations.md#size-of-the-input). */
const INPUT_LIMIT = 32 * 1024 * 1024;
const TRAILS_AT_ONCE = 8;
const RECORDS_AT_ONCE = 100;
const SKIPPED = new RawJson('null');
/** Most components that a policy reads (rules/evaluations.md#components-in-the-input). Each takes about 150 bytes of the input. */
const MOST_LISTED = 100_000;
/** Most expectations that a policy reads (rules/evaluations.md#expectations-in-the-input). */
const MOST_READ = 100;

/** The input of an evaluation as JSON text, or the message of a `context_error` (rules/evaluations.md#error-kinds). */
type Context = { input: string } | { problem: string };

/** Address of the service and name of the organization, as the request for the evaluation had them. */
type Reader = Pick<EvaluationRecord, 'host' | 'org'>;

/** What decides about the input beside the trails. */
interface InputWanted {
  /** JSON text of the policy files. */
  policy: string;
  /** The instant as of which expectations and recalls are read. */
  recorded: Micros;
}

/** What is read of SBOMs while the trails are built. */
interface SbomsWanted {
  read: ComponentsRead;
  /** Number of the components that the policy may read, of all SBOMs that were looked at. */
  listed: number;
}

/**
 * Builds the input of a policy: every trail as of its pin, in the order of the pins (rules/evaluations.md#input), and the
 * expectations of the organization, if the policy reads them.
 *
 * @throws Error if a pinned flow, trail or moment is missing
 */
export async function buildInput(
  stores: Reading,
  orgId: OrganizationId,
  pins: readonly Pin[],
  reader: Reader,
  wanted: InputWanted,
): Promise<Context> {
  const missing = pins.find(({ number }) => number === 0);
  if (missing) {
    const { flowName, trail } = missing;
    return { problem: `Trail '${trail}' of flow '${flowName}' did not exist at recorded_at` };
  }
  const [trails, expectations] = await Promise.all([
    buildTrails(stores, orgId, pins, reader, wanted),
    readsExpectations(wanted.policy) ? buildExpectations(stores, orgId, wanted) : { found: undefined },
  ]);
  if ('problem' in trails) return trails;
  if ('problem' in expectations) return expectations;
  return { input: stringify(inputOf(trails.texts, expectations.found)) };
}

/** Reads the trails of the input as texts. */
async function buildTrails(
  stores: Reading,
  orgId: OrganizationId,
  pins: readonly Pin[],
  reader: Reader,
  wanted: InputWanted,
): Promise<{ texts: RawJson[] } | { problem: string }> {
  let size = 0;
  const sboms: SbomsWanted = { read: componentsRead(wanted.policy), listed: 0 };
  const texts = await inParallel(pins, TRAILS_AT_ONCE, async (pin) => {
    // The input is too large already: skip the remaining reads.
    if (size > INPUT_LIMIT) return SKIPPED;
    const text = stringify(await trailOf(stores, orgId, reader, pin, { ...wanted, sboms }));
    size += Buffer.byteLength(text);
    return new RawJson(text);
  });
  if (sboms.listed > MOST_LISTED) {
    return { problem: `The policy may read ${sboms.listed} components, and at most ${MOST_LISTED} are possible` };
  }
  if (size > INPUT_LIMIT) return { problem: `The trails of the context have more than ${INPUT_LIMIT} bytes` };
  return { texts };
}

/** Reads the expectations of the input, by name. */
async function buildExpectations(
  { table }: Reading,
  orgId: OrganizationId,
  { policy, recorded }: InputWanted,
): Promise<{ found: object } | { problem: string }> {
  const read = await readExpectationsAt(table, orgId, recorded, {
    most: MOST_READ,
    only: (name) => policy.includes(name),
  });
  if (!('count' in read)) return { found: expectationsForPolicy(read) };
  return { problem: `The policy may read ${read.count} expectations, and at most ${MOST_READ} are possible` };
}

/**
 * Builds one trail as of its pin, by what counted at the instant of the evaluation: evidence that was recalled later still counted. It
 * comes with the full records of the attestations in its status (rules/evaluations.md#trail-in-the-input).
 */
async function trailOf(
  stores: Reading,
  orgId: OrganizationId,
  { host, org }: Reader,
  pin: Pin,
  { recorded, sboms }: InputWanted & { sboms: SbomsWanted },
): Promise<object> {
  const { table, objects } = stores;
  const trail = await readTrailOfFlow(table, objects, orgId, pin);
  if (!trail) throw new Error(`Trail ${pin.trail} of flow ${pin.flow} does not exist`);
  const then = asOfMoment(trail, pin.number);
  const [recalls, { template, text }] = await Promise.all([
    hasSignature(then.state) ? readRecallsAt(table, orgId, recorded) : [],
    loadTemplateAndText(table, objects, orgId, then.state.template),
  ]);
  // The schema of answers has plain texts where the records that they come from have ids.
  const shown = trailOut(countedTrail(then, recalls), template, text, { host, org, orgId }) as ReturnType<
    typeof trailOut
  > &
    TrailOnWire;
  const details = await detailsOf(stores, orgId, { host, org }, attestationsNamed(shown), {
    name: trail.flow.name,
    sboms,
  });
  return trailForPolicy(shown, details);
}

async function detailsOf(
  stores: Reading,
  orgId: OrganizationId,
  { host, org }: Reader,
  ids: readonly AttestationId[],
  { name, sboms }: { name: string; sboms: SbomsWanted },
): Promise<Map<string, object>> {
  const records = await readAttestations(stores.table, orgId, ids);
  const components = await componentsOf(stores, orgId, records.filter(mayHaveSbom), sboms);
  const reader = { host, org: { id: orgId, name: org }, flowName: () => name };
  const details = await inParallel(records, RECORDS_AT_ONCE, async (record) => {
    const out = await attestationOut(stores.objects, record, reader);
    return [record.id, { ...out, ...components.get(record.id) }] as const;
  });
  return new Map(details);
}

/** The fields of attestations about their SBOMs, as far as the policy may read them (rules/evaluations.md#components-in-the-input). */
async function componentsOf(
  stores: Reading,
  orgId: OrganizationId,
  records: readonly AttestationRecord[],
  sboms: SbomsWanted,
): Promise<Map<AttestationId, { components: ComponentsOut; component_list?: object[] | null }>> {
  if (sboms.read === 'none') return new Map();
  const ids = records.map(({ id }) => id);
  const found = await readAttestationComponents(stores.table, orgId, ids);
  const states = records.flatMap(({ id, facts }) => {
    // What an erased record may have had, nobody will read.
    const components = componentsOut(found.get(id) ?? (facts.erased ? null : undefined));
    return components ? [{ id, components }] : [];
  });
  if (sboms.read === 'states') return new Map(states.map(({ id, components }) => [id, { components }]));
  sboms.listed += states.reduce((sum, { components }) => sum + (components.count ?? 0), 0);
  // Too many: the evaluation fails, so no list is read.
  if (sboms.listed > MOST_LISTED) return new Map();
  const sets = new Map(states.flatMap(({ id }) => setOf(id, found.get(id)?.set)));
  const lists = await readListedComponents(stores, orgId, sets);
  return new Map(
    states.map(({ id, components }) => {
      const list = lists.get(id);
      return [id, { components, component_list: list ? componentsForPolicy(list) : null }];
    }),
  );
}

const setOf = (id: AttestationId, set: string | null | undefined): [AttestationId, string][] =>
  set == null ? [] : [[id, set]];
