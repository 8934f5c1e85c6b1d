import { createPublicKey, generateKeyPairSync, hash, sign } from 'node:crypto';
import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { spkiOf } from '#shared/tlog/ed25519.ts';
import { keyDigest } from '#shared/tlog/keys.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { inclusionProof, type ReadTile } from '#shared/tlog/proofs.ts';
import { signNote } from '#shared/tlog/signer.ts';
import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { leaves, log, logKey, treeOf, witness } from './sample-log.ts';

/**
 * The verifier of sigstore shares no code with ours. It reads our checkpoints and proofs, verifies the signature of the
 * log and computes the root itself.
 */

const author = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ARTIFACT = Buffer.from('an artifact');
const SIGNATURE = sign('sha256', ARTIFACT, author.privateKey);
const always = { start: new Date(0), end: new Date('2100-01-01') };

const verifier = new Verifier(
  {
    certificateAuthorities: [],
    timestampAuthorities: [],
    ctlogs: [],
    tlogs: [
      {
        logID: keyDigest(logKey),
        baseURL: `https://${log.name}`,
        publicKey: createPublicKey({ key: spkiOf(logKey.publicKey), format: 'der', type: 'spki' }),
        validFor: always,
      },
    ],
    publicKey: () => ({ publicKey: author.publicKey, validFor: () => true }),
  },
  { tlogThreshold: 1, ctlogThreshold: 0, timestampThreshold: 0 },
);

/** The entry by which a log of sigstore records the signature of an artifact. */
const entry = Buffer.from(
  canonicalJson({
    apiVersion: '0.0.2',
    kind: 'hashedrekord',
    spec: {
      hashedRekordV002: {
        data: { algorithm: 'SHA2_256', digest: hash('sha256', ARTIFACT, 'base64') },
        signature: {
          content: SIGNATURE.toString('base64'),
          verifier: {
            keyDetails: 'PKIX_ECDSA_P256_SHA_256',
            publicKey: { rawBytes: author.publicKey.export({ format: 'der', type: 'spki' }).toString('base64') },
          },
        },
      },
    },
  }),
);
const leaf = leafHash(entry);

interface Proof {
  index: number;
  size: number;
  hashes: Buffer[];
  checkpoint: string;
}

/** Proves the entry in the sample log, where it takes the place of another entry in the last tile. */
async function prove(index: number, size: number): Promise<Proof> {
  const tree = treeOf(size);
  const readTile: ReadTile = async (tile) => {
    const isHere = tile.level === 0 && tile.index === Math.floor(index / TILE_WIDTH);
    const hashes = await tree.readTile(tile);
    return isHere ? hashes.with(index % TILE_WIDTH, leaf) : hashes;
  };
  const root = rootOfLeaves(leaves.slice(0, size).with(index, leaf));
  const checkpoint = formatNote(await signNote(formatCheckpoint({ origin: log.name, size, root }), [witness, log]));
  return { index, size, hashes: await inclusionProof(index, { size, readTile }), checkpoint };
}

function bundleOf({ index, size, hashes, checkpoint }: Proof): Bundle {
  const logEntry = {
    logIndex: String(index),
    logId: { keyId: keyDigest(logKey).toString('base64') },
    kindVersion: { kind: 'hashedrekord', version: '0.0.2' },
    integratedTime: '0',
    inclusionProof: {
      logIndex: String(index),
      rootHash: checkpoint.split('\n')[2],
      treeSize: String(size),
      hashes: hashes.map((one) => one.toString('base64')),
      checkpoint: { envelope: checkpoint },
    },
    canonicalizedBody: entry.toString('base64'),
  };
  return bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: 'author' }, tlogEntries: [logEntry] },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: hash('sha256', ARTIFACT, 'base64') },
      signature: SIGNATURE.toString('base64'),
    },
  });
}

const verify = (proof: Proof) => verifier.verify(toSignedEntity(bundleOf(proof), ARTIFACT));

describe('the verifier of sigstore', () => {
  test.each([
    [0, 1],
    [0, 2],
    [2, 3],
    [100, 255],
    [255, 256],
    [256, 257],
    [512, 600],
    [599, 600],
  ])('accepts the proof of entry %i of %i', async (index, size) => {
    expect(verify(await prove(index, size)).key).toBeDefined();
  });

  test.each([
    ['another index', (proof: Proof) => ({ ...proof, index: 513 })],
    ['another hash', (proof: Proof) => ({ ...proof, hashes: proof.hashes.with(0, leaf) })],
    ['a hash less', (proof: Proof) => ({ ...proof, hashes: proof.hashes.slice(1) })],
    [
      'a changed checkpoint',
      (proof: Proof) => ({ ...proof, checkpoint: proof.checkpoint.replace('\n600\n', '\n601\n') }),
    ],
    ['the cosignature alone', (proof: Proof) => ({ ...proof, checkpoint: proof.checkpoint.replace(/\n— acme.*/, '') })],
  ])('refuses a proof with %s', async (_, change) => {
    const proof = await prove(512, 600);
    expect(() => verify(change(proof))).toThrow(expect.objectContaining({ code: 'TLOG_INCLUSION_PROOF_ERROR' }));
  });
});
