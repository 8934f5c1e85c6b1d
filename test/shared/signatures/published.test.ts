import { readFileSync } from 'node:fs';
import { threadCpuUsage } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readBundle } from '#shared/signatures/bundles.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import { verifyBundle } from '#shared/signatures/verify-bundle.ts';

import { own, rootOf } from './own-trust.ts';
import { bundle, statement } from './sample-bundles.ts';

/**
 * The provenance of a published package, which the public instance of Sigstore signed: the attestation of pypi-attestations 0.0.19
 * (Apache-2.0) that comes with the source of its release 0.0.30, in the form of a bundle.
 */
const text = readFileSync(fileURLToPath(new URL('./published.sigstore.json', import.meta.url)), 'utf8');
const artifact = { sha256: '9bb1add04b1b4e182be6b0b80931593f7a291eb49d69b4fd728a5d4cbcdc4bd3' };
const anybody = { root: publicRoot(), refusal: () => undefined };

describe('a published bundle', () => {
  test('is verified with the public root, and names its workflow and its run', () => {
    const { grade, logs, times, signer, statement } = verifyBundle(readBundle(text), anybody, artifact);
    expect({ grade, logs: logs.map(({ index }) => index), times }).toEqual({
      grade: 'logged',
      logs: ['153454647'],
      times: [{ seconds: 1_733_354_026, from: 'log' }],
    });
    const workflow = 'https://github.com/trailofbits/pypi-attestations/.github/workflows/release.yml@refs/tags/v0.0.19';
    expect(signer).toMatchObject({
      issuer: 'https://token.actions.githubusercontent.com',
      subject: workflow,
      claims: {
        build_signer_uri: workflow,
        source_repository_identifier: '772247423',
        run_invocation_uri: 'https://github.com/trailofbits/pypi-attestations/actions/runs/12169989787/attempts/1',
      },
    });
    expect(statement?.predicateType).toBe('https://slsa.dev/provenance/v1');
  });

  test('is refused with another root, and with a changed byte of its payload', () => {
    expect(() => verifyBundle(readBundle(text), { ...anybody, root: rootOf(own) }, artifact)).toThrow(
      'Failed to verify certificate chain: no valid certificate path found',
    );
    const changed = text.replace(/"payload": ?"eyJ/, '"payload":"eyI');
    expect(changed).not.toBe(text);
    expect(() => verifyBundle(readBundle(changed), anybody, artifact)).toThrow('The signed statement is not JSON');
  });

  test('a bundle of 20 KB takes at most 60 ms of processor time', () => {
    const made = JSON.stringify(bundle(own, { payload: JSON.stringify(statement({ predicate: 'x'.repeat(12_000) })) }));
    expect(made.length).toBeGreaterThan(20_000);
    const trust = { root: rootOf(own), refusal: () => undefined };
    const rounds = 20;
    verifyBundle(readBundle(made), trust);
    const { user, system } = threadCpuUsage();
    for (let i = 0; i < rounds; i += 1) verifyBundle(readBundle(made), trust);
    const used = threadCpuUsage();
    const millis = (used.user - user + used.system - system) / 1000 / rounds;
    console.log(`${millis.toFixed(1)} ms of processor time for a bundle of ${made.length} characters`);
    expect(millis).toBeLessThan(60);
  });
});
