import { createPublicKey, generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { leafHash, nodeHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import * as der from './der.ts';

/** An instance of Sigstore of our own: certificate authority, log of certificates, log of signatures, timestamp authority. */

/** When everything of the samples is signed, in seconds. */
export const SIGNED_AT = 1_763_683_200;
const DAY = 86_400;

const ECDSA_SHA256 = der.sequence(der.oid('1.2.840.10045.4.3.2'));
const SHA256 = der.sequence(der.oid('2.16.840.1.101.3.4.2.1'));
const SCT_LIST = '1.3.6.1.4.1.11129.2.4.2';
const FULCIO = '1.3.6.1.4.1.57264.1.';

export const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const spkiOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });
const idOf = (key: KeyObject): Buffer => hash('sha256', spkiOf(key), 'buffer');
const nameOf = (name: string) => der.sequence(der.set(der.sequence(der.oid('2.5.4.3'), der.utf8(name))));
const extension = (id: string, value: Buffer) => der.sequence(der.oid(id), der.octets(value));
const uint = (value: number | bigint, bytes: number): Buffer =>
  Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(bytes * 2, '0'),
    'hex',
  );

interface Authority {
  name: string;
  key: KeyObject;
  certificate: Buffer;
}

interface ToCertify {
  subject: string;
  publicKey: KeyObject;
  from: number;
  until: number;
  extensions: readonly Buffer[];
}

const certify = (issuer: { name: string; key: KeyObject }, given: ToCertify, serial: Buffer): Buffer => {
  const tbs = tbsOf(issuer, given, serial);
  return der.sequence(tbs, ECDSA_SHA256, der.bits(sign('sha256', tbs, issuer.key)));
};

const tbsOf = (issuer: { name: string; key: KeyObject }, given: ToCertify, serial: Buffer): Buffer =>
  der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(serial),
    ECDSA_SHA256,
    nameOf(issuer.name),
    der.sequence(der.time(given.from), der.time(given.until)),
    nameOf(given.subject),
    spkiOf(given.publicKey),
    der.explicit(
      3,
      der.sequence(
        extension('2.5.29.14', der.octets(idOf(given.publicKey).subarray(0, 20))),
        extension('2.5.29.35', der.sequence(der.implicit(0, idOf(issuer.key).subarray(0, 20)))),
        ...given.extensions,
      ),
    ),
  );

const CA_EXTENSIONS = [
  extension('2.5.29.19', der.sequence(der.TRUE)),
  // keyCertSign and crlSign.
  extension('2.5.29.15', der.tlv(0x03, Buffer.of(1, 0x06))),
];

function newAuthority(name: string): Authority {
  const { privateKey: key } = newKey();
  const given = { subject: name, publicKey: key, from: 0, until: SIGNED_AT + 3650 * DAY, extensions: CA_EXTENSIONS };
  return { name, key, certificate: certify({ name, key }, given, randomBytes(8)) };
}

/** What a certificate says. */
export interface Identity {
  issuer: string;
  san: { uri: string } | { email: string } | { dns: string };
  claims: Readonly<Record<number, string>>;
  /** Since when the certificate is valid, in seconds. It is valid for ten minutes. */
  from: number;
  /** Whether the log of certificates signed it. */
  isLogged: boolean;
}

export interface LogEntryOptions {
  /** Whether the log promises the entry and its time. */
  hasPromise: boolean;
  hasProof: boolean;
  seconds: number;
}

/** An own instance of Sigstore. Two of them have nothing in common but their names. */
export class OwnRoot {
  readonly ca = newAuthority('own ca');
  readonly tsaCa = newAuthority('own timestamps');
  readonly tsaKey = newKey().privateKey;
  readonly tsaSerial = Buffer.from('7a01020304050607', 'hex');
  readonly tsaCertificate = certify(
    this.tsaCa,
    { subject: 'own tsa', publicKey: this.tsaKey, from: 0, until: SIGNED_AT + 3650 * DAY, extensions: [] },
    this.tsaSerial,
  );
  readonly ctKey = newKey().privateKey;
  readonly logKey = newKey().privateKey;
  readonly logName = 'log.example';

  /** Makes the certificate of a signing key. */
  certificate(publicKey: KeyObject, { issuer, san, claims, from, isLogged }: Identity): Buffer {
    const name =
      'uri' in san
        ? der.implicit(6, Buffer.from(san.uri))
        : 'email' in san
          ? der.implicit(1, Buffer.from(san.email))
          : der.implicit(2, Buffer.from(san.dns));
    const extensions = [
      extension('2.5.29.17', der.sequence(name)),
      ...(issuer === '' ? [] : [extension(`${FULCIO}8`, der.utf8(issuer))]),
      ...Object.entries(claims).map(([number, text]) => extension(`${FULCIO}${number}`, der.utf8(text))),
    ];
    const given = { subject: '', publicKey, from, until: from + 600, extensions };
    const serial = Buffer.concat([Buffer.of(0x11), randomBytes(7)]);
    if (!isLogged) return certify(this.ca, given, serial);
    const list = this.#certificateTimestamp(tbsOf(this.ca, given, serial), from);
    return certify(this.ca, { ...given, extensions: [...extensions, extension(SCT_LIST, der.octets(list))] }, serial);
  }

  /** The promise of the log of certificates for a certificate (RFC 6962). */
  #certificateTimestamp(tbs: Buffer, seconds: number): Buffer {
    const at = uint(seconds * 1000, 8);
    const entry = Buffer.concat([idOf(this.ca.key), uint(tbs.length, 3), tbs]);
    const signed = Buffer.concat([Buffer.of(0, 0), at, uint(1, 2), entry, uint(0, 2)]);
    const signature = sign('sha256', signed, this.ctKey);
    const one = Buffer.concat([
      Buffer.of(0),
      idOf(this.ctKey),
      at,
      uint(0, 2),
      Buffer.of(4, 3),
      uint(signature.length, 2),
      signature,
    ]);
    return Buffer.concat([uint(one.length + 2, 2), uint(one.length, 2), one]);
  }

  /** Appends a body to the log of signatures, as the second of three entries. @returns the entry as bundles carry it */
  logEntry(kind: string, body: unknown, { hasPromise, hasProof, seconds }: LogEntryOptions) {
    const canonicalizedBody = Buffer.from(canonicalJson(body)).toString('base64');
    const logID = idOf(this.logKey);
    const payload = { body: canonicalizedBody, integratedTime: seconds, logID: logID.toString('hex'), logIndex: 1 };
    const promise = sign('sha256', Buffer.from(canonicalJson(payload)), this.logKey).toString('base64');
    const [before, after] = [leafHash(Buffer.from('before')), leafHash(Buffer.from('after'))];
    const leaf = leafHash(Buffer.from(canonicalizedBody, 'base64'));
    const root = rootOfLeaves([before, leaf, after]);
    if (!root.equals(nodeHash(nodeHash(before, leaf), after))) throw new Error('The tree has another form');
    const note = `${this.logName}\n3\n${root.toString('base64')}\n`;
    const signature = Buffer.concat([logID.subarray(0, 4), sign('sha256', Buffer.from(note), this.logKey)]);
    const inclusionProof = {
      logIndex: '1',
      rootHash: root.toString('base64'),
      treeSize: '3',
      hashes: [before, after].map((one) => one.toString('base64')),
      checkpoint: { envelope: `${note}\n— ${this.logName} ${signature.toString('base64')}\n` },
    };
    return {
      logIndex: '1',
      logId: { keyId: logID.toString('base64') },
      kindVersion: { kind, version: '0.0.1' },
      integratedTime: String(seconds),
      ...(hasPromise && { inclusionPromise: { signedEntryTimestamp: promise } }),
      ...(hasProof && { inclusionProof }),
      canonicalizedBody,
    };
  }

  /** A timestamp of the authority over a signature (RFC 3161). */
  timestamp(signature: Buffer, seconds: number): Buffer {
    const content = '1.2.840.113549.1.9.16.1.4';
    const info = der.sequence(
      der.integer(Buffer.of(1)),
      der.oid('1.3.6.1.4.1.57264.2'),
      der.sequence(SHA256, der.octets(hash('sha256', signature, 'buffer'))),
      der.integer(Buffer.of(1)),
      der.time(seconds),
    );
    const attributes = [
      der.sequence(der.oid('1.2.840.113549.1.9.3'), der.set(der.oid(content))),
      der.sequence(der.oid('1.2.840.113549.1.9.4'), der.set(der.octets(hash('sha256', info, 'buffer')))),
    ];
    const signer = der.sequence(
      der.integer(Buffer.of(1)),
      der.sequence(nameOf(this.tsaCa.name), der.integer(this.tsaSerial)),
      SHA256,
      der.explicit(0, ...attributes),
      ECDSA_SHA256,
      der.octets(sign('sha256', der.set(...attributes), this.tsaKey)),
    );
    const signedData = der.sequence(
      der.integer(Buffer.of(3)),
      der.set(SHA256),
      der.sequence(der.oid(content), der.explicit(0, der.octets(info))),
      der.set(signer),
    );
    return der.sequence(
      der.sequence(der.integer(Buffer.of(0))),
      der.sequence(der.oid('1.2.840.113549.1.7.2'), der.explicit(0, signedData)),
    );
  }

  /** The root as the JSON of a `trusted_root.json`. Members can be left out or replaced. */
  json(changed: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const validFor = { start: '2020-01-01T00:00:00Z' };
    const log = (key: KeyObject, host: string) => ({
      baseUrl: `https://${host}`,
      hashAlgorithm: 'SHA2_256',
      publicKey: { rawBytes: spkiOf(key).toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
      logId: { keyId: idOf(key).toString('base64') },
    });
    const chain = (...certificates: Buffer[]) => ({
      subject: { organization: 'own', commonName: 'own' },
      certChain: { certificates: certificates.map((one) => ({ rawBytes: one.toString('base64') })) },
      validFor,
    });
    return {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log(this.logKey, this.logName)],
      ctlogs: [log(this.ctKey, 'ct.example')],
      certificateAuthorities: [chain(this.ca.certificate)],
      timestampAuthorities: [chain(this.tsaCertificate, this.tsaCa.certificate)],
      ...changed,
    };
  }
}
