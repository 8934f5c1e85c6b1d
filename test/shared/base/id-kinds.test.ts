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
import { environmentHeadKey } from '#shared/environments/records/keys.ts';
import { attestationKey, buildKey, flowHeadKey } from '#shared/evidence/records/keys.ts';
import { memberKey } from '#shared/organizations/records/keys.ts';
import { policyHeadKey } from '#shared/policies/records/keys.ts';

const NOW = 1_800_000_000_000_000;
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

test('a text is a fingerprint only where that was checked', () => {
  const text: string = 'ab'.repeat(32);
  // @ts-expect-error Nobody has looked whether this text is a fingerprint.
  expect(buildKey(org, text).sk).toBe(`F#${text}`);
  // @ts-expect-error A flow's id is no fingerprint.
  expect(buildKey(org, flow).sk).toBe(`F#${flow}`);
  expect(isFingerprint(text) && buildKey(org, text).sk).toBe(`F#${text}`);
});

test('no other file than that of the ids turns a text into an id by a cast', () => {
  const CAST = /\bas (?:\w*Id|Fingerprint|Kind)\b/;
  const sources = ['shared', 'functions', 'infra'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  expect(sources.length).toBeGreaterThan(400);
  expect(sources.filter((file) => CAST.test(readFileSync(file, 'utf8')))).toEqual(['shared/base/ids.ts']);
});
