import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type AttestationId,
  type EnvironmentId,
  FlowId,
  type Id,
  isFingerprint,
  newId,
  type OrganizationId,
  type PolicyId,
  type PrincipalId,
  type TrailId,
} from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName, AnyPolicyName, AnyTrailName } from '#shared/base/names.ts';
import {
  EPOCH,
  earliestOf,
  fromMillis,
  fromSeconds,
  latestOf,
  minus,
  plus,
  StoredMicros,
  toSeconds,
} from '#shared/base/time.ts';
import { environmentHeadKey, environmentNameKey } from '#shared/environments/records/keys.ts';
import { attestationKey, buildKey, flowHeadKey, flowNameKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { memberKey } from '#shared/organizations/records/keys.ts';
import { policyHeadKey, policyNameKey } from '#shared/policies/records/keys.ts';
import type { Key, PartitionKey, Range, SortKey } from '#shared/table/items.ts';
import { instantSequence, keyIn } from '#shared/table/keys.ts';

const NOW = fromSeconds(1_800_000_000);
const org = newId<OrganizationId>(NOW);
const flow = newId<FlowId>(NOW);
const trail = newId<TrailId>(NOW);
const environment = newId<EnvironmentId>(NOW);
const policy = newId<PolicyId>(NOW);
const principal = newId<PrincipalId>(NOW);
const attestation = newId<AttestationId>(NOW);

/**
 * The compiler checks these tests: `tsc` reports an `@ts-expect-error` above a line that compiles. At run time an id is
 * its text, so each line works there.
 */
describe('an id of one kind', () => {
  test('does not compile where another kind is wanted', () => {
    const ofTrail = (id: TrailId): string => id;
    // @ts-expect-error A flow's id is not a trail's.
    expect(ofTrail(flow)).toBe(flow);
    // @ts-expect-error A trail's id is not a flow's.
    expect(flowHeadKey(org, trail).pk).toContain(trail);
    // @ts-expect-error The organization comes first.
    expect(flowHeadKey(flow, org).pk).toContain(flow);
    // @ts-expect-error A policy's id is not an environment's.
    expect(environmentHeadKey(org, policy).pk).toContain(policy);
    // @ts-expect-error An environment's id is not a policy's.
    expect(policyHeadKey(org, environment).sk).toContain(environment);
    // @ts-expect-error An attestation's id is not a user's.
    expect(memberKey(org, attestation).sk).toBe(attestation);
    // @ts-expect-error A user's id is not an attestation's.
    expect(attestationKey(org, principal).pk).toContain(principal);
  });

  test('does not compile where only a text is given', () => {
    const text: string = flow;
    // @ts-expect-error Nobody has said that this text is the id of a flow.
    expect(flowHeadKey(org, text).pk).toContain(text);
    expect(flowHeadKey(org, FlowId.parse(text)).pk).toContain(text);
  });

  test('is an id, and a text', () => {
    const ids: Id[] = [org, flow, trail, environment, policy, principal, attestation];
    const texts: string[] = ids;
    expect(new Set(texts).size).toBe(7);
  });
});

describe('the name of one kind', () => {
  const text: string = 'web';
  const flowName = AnyFlowName.parse(text);
  const environmentName = AnyEnvironmentName.parse(text);
  const trailName = AnyTrailName.parse(text);
  const policyName = AnyPolicyName.parse(text);

  test('does not compile where another kind is wanted', () => {
    // @ts-expect-error A trail's name is not a flow's.
    expect(flowNameKey(org, trailName).pk).toContain(text);
    // @ts-expect-error A flow's name is not a trail's.
    expect(trailPartition(org, flow, flowName)).toContain(text);
    // @ts-expect-error The key of a trail has its name, not its id.
    expect(trailPartition(org, flow, trail)).toContain(trail);
    // @ts-expect-error An environment's name is not a flow's.
    expect(flowNameKey(org, environmentName).pk).toContain(text);
    // @ts-expect-error A policy's name is not an environment's.
    expect(environmentNameKey(org, policyName).pk).toContain(text);
    // @ts-expect-error A flow's name is not a policy's.
    expect(policyNameKey(org, flowName).pk).toContain(text);
    // @ts-expect-error A name leads to the id only by a read.
    expect(flowHeadKey(org, flowName).pk).toContain(text);
    // @ts-expect-error A flow's id is not its name.
    expect(flowNameKey(org, flow).pk).toContain(flow);
  });

  test('does not compile where only a text is given', () => {
    // @ts-expect-error Nobody has said that this text is the name of a flow.
    expect(flowNameKey(org, text).pk).toContain(text);
    expect(flowNameKey(org, flowName).pk).toContain(text);
  });
});

test('a text is a fingerprint only where that was checked', () => {
  const text: string = 'ab'.repeat(32);
  // @ts-expect-error Nobody has looked whether this text is a fingerprint.
  expect(buildKey(org, text).sk).toBe(`F#${text}`);
  // @ts-expect-error A flow's id is no fingerprint.
  expect(buildKey(org, flow).sk).toBe(`F#${flow}`);
  expect(isFingerprint(text) && buildKey(org, text).sk).toBe(`F#${text}`);
});

describe('a key of the table', () => {
  const { pk, sk } = flowHeadKey(org, flow);

  test('does not compile where another kind of text is wanted', () => {
    const partition = (key: PartitionKey): string => key;
    const inPartition = (key: SortKey): string => key;
    // @ts-expect-error A sort key is no partition key.
    expect(partition(sk)).toBe('HEAD');
    // @ts-expect-error A partition key is no sort key.
    expect(inPartition(pk)).toBe(`${org}#FLOW#${flow}`);
    // @ts-expect-error An organization's id is only a part of a partition key.
    expect(partition(org)).toBe(org);
    // @ts-expect-error Nobody has said that this text is a partition key.
    expect(keyIn(`${org}#FLOW#${flow}`, 'HEAD')).toEqual({ pk, sk });
    // @ts-expect-error Both parts are plain texts.
    const key: Key = { pk: `${org}#FLOW`, sk: 'HEAD' };
    // @ts-expect-error A range is in a partition, not in an organization.
    const range: Range = { pk: org };
    expect([key.sk, range.pk]).toEqual(['HEAD', org]);
  });

  test('is a text', () => {
    const texts: string[] = [pk, sk];
    expect(texts).toEqual([`${org}#FLOW#${flow}`, 'HEAD']);
  });
});

describe('an instant', () => {
  const at = fromSeconds(1_800_000_000);

  test('does not compile where a number of another unit is given', () => {
    // @ts-expect-error These are seconds.
    expect(toSeconds(1_800_000_000)).toBe(1_800);
    // @ts-expect-error These are milliseconds.
    expect(toSeconds(at / 1000)).toBe(1_800_000);
    // @ts-expect-error The span between two instants is no instant.
    expect(toSeconds(plus(at, 5_000_000) - at)).toBe(5);
    // @ts-expect-error A number of items is no instant.
    expect(instantSequence([at].length)).toBe('00000000000000001');
    // @ts-expect-error A sum of an instant and a number can be anything; `plus` says what it is.
    expect(newId<FlowId>(at + 1)).toHaveLength(32);
  });

  test('is computed from instants, and is a number', () => {
    expect(plus(at, 1)).toBe(at + 1);
    expect(minus(at, 1)).toBe(at - 1);
    expect(latestOf(at, EPOCH, minus(at, 1))).toBe(at);
    expect(earliestOf(at, EPOCH)).toBe(0);
    expect(fromMillis(1_800_000_000_000)).toBe(at);
    expect(StoredMicros.parse(1_800_000_000_000_000)).toBe(at);
    const number: number = at;
    expect(at > number).toBe(false);
  });
});

const SOURCES = ['shared', 'functions', 'infra'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);
const filesWith = (pattern: RegExp): string[] => SOURCES.filter((file) => pattern.test(readFileSync(file, 'utf8')));

test('no other files than those of ids and names turn a text into an id or a name by a cast', () => {
  expect(SOURCES.length).toBeGreaterThan(400);
  const CAST = /\bas (?:\w*Id|Fingerprint|(?:Flow|Trail|Environment|Policy)Name|Kind)\b/;
  expect(filesWith(CAST).toSorted()).toEqual(['shared/base/ids.ts', 'shared/base/names.ts']);
});

test('no other file than that of the keys turns a text into a key by a cast', () => {
  // The table casts keys that the database returns as not yet read.
  expect(filesWith(/\bas (?:PartitionKey|SortKey|Key\b(?!\[))/)).toEqual(['shared/table/keys.ts']);
});

test('no other file than that of the time turns a number into an instant by a cast, and few take a number as a bound', () => {
  expect(filesWith(/\bas Micros\b/)).toEqual(['shared/base/time.ts']);
  expect(
    filesWith(/(?<![.\w])micros\(/)
      .filter((file) => file !== 'shared/base/time.ts')
      .toSorted(),
  ).toEqual([
    'shared/evidence/records/moments.ts',
    'shared/http/query-fields.ts',
    'shared/log/guarded-logs.ts',
    'shared/outgoing/issuer-keys.ts',
    'shared/series/scan.ts',
    'shared/series/series.ts',
  ]);
});

test('keys that were stored become keys in two places', () => {
  expect(
    filesWith(/\bstoredKey\(/)
      .filter((file) => file !== 'shared/table/keys.ts')
      .toSorted(),
  ).toEqual(['shared/sweeps/set-aside.ts', 'shared/table/stream-item.ts']);
});

test('partitions are named in files of keys only', () => {
  expect(filesWith(/import \{[^}]*\b(?:family|directory)\b[^}]*\} from '#shared\/table\/keys\.ts'/)).toSatisfy(
    (files: string[]) => files.length > 8 && files.every((file) => file.endsWith('/keys.ts')),
  );
});
