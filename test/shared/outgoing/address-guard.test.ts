import type { LookupOptions } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { AddressRefused, addressGuard, type Resolve } from '#shared/outgoing/address-guard.ts';

const refused = (address: string, allowed: string[] = []): boolean => {
  try {
    addressGuard(allowed).assertAllowed(new URL(address));
  } catch (error) {
    if (error instanceof AddressRefused) return true;
    throw error;
  }
  return false;
};

/** A resolver that gives its answers one after another, the last one for ever. */
const answering = (...answers: string[][]): Resolve => {
  let asked = 0;
  return (_, __, callback) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? [];
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
};

const connectTo = (
  resolve: Resolve,
  address = 'https://hooks.example.com/',
  allowed: string[] = [],
  options: LookupOptions = { all: true },
) =>
  new Promise<unknown>((accept, reject) => {
    const url = new URL(address);
    addressGuard(allowed, resolve).lookup(url)(url.hostname, options, (error, addresses) =>
      error ? reject(error) : accept(addresses),
    );
  });

describe('addresses that are written out', () => {
  test.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.0.1'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255'],
    // Decimal, octal, hexadecimal and short forms of loopback and of the metadata address
    ...['2130706433', '017700000001', '0177.0.0.1', '0x7f000001', '0x7f.0.0.1', '127.1', '127.0.1'],
    ...['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '127.0.0.1.', '127.0.0.1.', '①②⑦.0.0.1'],
    ...['[::]', '[::1]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[fec0::1]', '[ff02::1]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::127.0.0.1]'],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::808:808]', '[2002:7f00:1::]'],
    ...['[2001::1]', '[2001:db8::1]', '[3fff::1]', '[100::1]'],
  ])('%s is refused', (host) => {
    expect(refused(`https://${host}/`)).toBe(true);
  });

  test.each([
    ...['8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.0.1.1', '223.255.255.255'],
    ...['[2600::1]', '[2001:4860:4860::8888]', '[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]', '[64:ff9b::808:808]'],
  ])('%s is allowed', (host) => {
    expect(refused(`https://${host}/`)).toBe(false);
  });
});

describe('addresses that look like others', () => {
  test.each([
    // What stands before the last `@` is a user; what stands behind a backslash or `#` is none.
    ...['https://hooks.example.com@127.0.0.1/', 'https://hooks.example.com:x@169.254.169.254/latest/meta-data/'],
    ...['https://8.8.8.8%40@127.0.0.1/', 'https://127.0.0.1\\@hooks.example.com/', 'https:127.0.0.1'],
    ...['https://127.0.0.1#@hooks.example.com/', 'https://127.0.0.1?@hooks.example.com/', 'https:/\\127.0.0.1/'],
    // Escapes, tabs and line ends within the host
    ...['https://%31%32%37.0.0.1/', 'https://127.0.0.%31/', 'https://127.0\t.0.1/', 'https://loc\nalhost/'],
    ...['https://127。0。0。1/', 'https://１２７.0.0.1/', 'https://[::ffff:7f00:0001]:443/'],
    // Where clouds and containers keep credentials
    ...['https://169.254.169.254/', 'https://169.254.170.2/v2/credentials', 'https://100.100.100.200/'],
    ...['https://[fd00:ec2::254]/', 'https://[::ffff:169.254.169.254]/', 'https://0xa9.0xfe.0xa9.0xfe/'],
  ])('%j is refused', (address) => {
    expect(refused(address)).toBe(true);
  });
});

describe('names', () => {
  test.each([
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'app.localhost',
      'ⓛocalhost',
      'intranet',
      'db.internal',
      'db.internal.',
    ],
    ...['printer.local', 'nas.lan', 'router.home.arpa', 'metadata.google.internal', 'local。host。local'],
  ])('%s means something inside only, and is refused', (host) => {
    expect(refused(`https://${host}/`)).toBe(true);
  });

  test.each(['hooks.example.com', 'hooks.example.com.', 'bücher.example', 'localhost.example.com'])(
    '%s is left to its resolution',
    (host) => {
      expect(refused(`https://${host}/`)).toBe(false);
    },
  );
});

describe('the setting of allowed networks', () => {
  test('opens those networks and no others, for http too', () => {
    expect(refused('http://127.0.0.1:1/', ['127.0.0.0/8', '::1/128'])).toBe(false);
    expect(refused('http://[::1]:1/', ['127.0.0.0/8', '::1/128'])).toBe(false);
    expect(refused('http://[::ffff:127.0.0.1]/', ['127.0.0.0/8'])).toBe(false);
    expect(refused('https://10.0.0.1/', ['127.0.0.0/8'])).toBe(true);
    expect(refused('https://169.254.169.254/', ['127.0.0.0/8'])).toBe(true);
  });

  test('keeps http from the internet', () => {
    expect(refused('http://8.8.8.8/', ['127.0.0.0/8'])).toBe(true);
    expect(refused('https://8.8.8.8/', ['127.0.0.0/8'])).toBe(false);
  });

  test('only https passes without a setting of allowed networks', () => {
    for (const address of ['http://8.8.8.8/', 'ftp://8.8.8.8/', 'file:///etc/passwd'])
      expect(refused(address)).toBe(true);
  });

  test.each(['127.0.0.1', '127.0.0.0/33', '::1/129', '127.0.0.0/', 'localhost/8', '127.0.0.0/-1', ''])(
    '%j is no network',
    (cidr) => {
      expect(() => addressGuard([cidr])).toThrow('CIDR');
    },
  );
});

describe('names at the moment of connecting', () => {
  test('lead to the very addresses that were judged', async () => {
    const all = await connectTo(answering(['93.184.216.34', '2600::1']));
    expect(all).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2600::1', family: 6 },
    ]);
    expect(await connectTo(answering(['93.184.216.34']), undefined, [], {})).toBe('93.184.216.34');
  });

  test('are judged anew each time: an answer that changes meanwhile is refused', async () => {
    const changing = answering(['93.184.216.34'], ['127.0.0.1']);
    await expect(connectTo(changing)).resolves.toBeDefined();
    await expect(connectTo(changing)).rejects.toBeInstanceOf(AddressRefused);
  });

  test.each([
    [['10.0.0.1']],
    [['93.184.216.34', '169.254.169.254']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a00:1']],
    [['fe80::1%eth0']],
    [[]],
  ])('are refused when they resolve to %j', async (answer) => {
    await expect(connectTo(answering(answer))).rejects.toBeInstanceOf(AddressRefused);
    await expect(connectTo(answering(answer), undefined, [], {})).rejects.toBeInstanceOf(AddressRefused);
  });

  test('reach allowed networks, and with http nothing else', async () => {
    const allowed = ['10.1.0.0/16'];
    await expect(connectTo(answering(['10.1.2.3']), 'http://app.internal/', allowed)).resolves.toBeDefined();
    await expect(connectTo(answering(['10.2.2.3']), 'http://app.internal/', allowed)).rejects.toThrow(AddressRefused);
    await expect(connectTo(answering(['8.8.8.8']), 'http://app.example.com/', allowed)).rejects.toThrow(AddressRefused);
  });

  test('hosts that cannot be resolved fail with the error of the resolution', async () => {
    const failing: Resolve = (_, __, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    await expect(connectTo(failing)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('refusals name no address', async () => {
    const error = await connectTo(answering(['10.9.8.7'])).catch((fault: unknown) => fault);
    expect(String(error)).not.toContain('10.9.8.7');
  });
});
