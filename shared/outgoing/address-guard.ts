import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A refused outgoing connection. The message may be shown to the owner of the target: it names no address. */
export class AddressRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AddressRefused';
  }
}

/** Resolves all addresses of a name with the resolver of the operating system. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void;

/** Decides to which addresses the service may connect (rules/notifications.md#allowed-addresses). */
export interface AddressGuard {
  /** `http:` is possible for allowed networks only. Without any, no target may have it. */
  readonly plainHttp: boolean;
  /** Checks an address without DNS, when a target is saved and again before each connection. @throws AddressRefused */
  assertAllowed(url: URL): void;
  /**
   * Resolves a name for a connection and returns only addresses that it checked, so a second answer of DNS has no
   * effect. One forbidden address among several forbids the name.
   */
  lookup(url: URL): LookupFunction;
}

/** Special-purpose IPv4 networks (IANA registry). No target on the internet has such an address. */
const FORBIDDEN_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The IPv6 network of the internet, and its special parts: tunnels, protocols, documentation. */
const GLOBAL_IPV6 = ['2000::/3'];
const FORBIDDEN_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Endings of names that have a meaning only inside a network. */
const INTERNAL_SUFFIXES = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home.arpa'];

const NOT_ALLOWED = 'The address of the target is private, local or reserved';

/**
 * Creates the guard.
 * @param allowedNetworks CIDR texts that are allowed in addition to the internet: a setting, empty in AWS. Loopback
 *   needs `127.0.0.0/8` and `::1/128`, because `localhost` usually resolves to both
 * @throws Error that names the text that is no CIDR
 */
export function addressGuard(allowedNetworks: readonly string[] = [], resolve: Resolve = systemLookup): AddressGuard {
  const allowed = networks(allowedNetworks);
  const plainHttp = allowedNetworks.length > 0;
  const isAllowed = (address: string, protocol: string): boolean => {
    const plain = embeddedIpv4(address) ?? withoutZone(address);
    if (contains(allowed, plain)) return true;
    return protocol === 'https:' && isGlobal(plain);
  };
  const assertAllowed = (url: URL): void => {
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plainHttp)) {
      throw new AddressRefused('The address of the target is not https');
    }
    const literal = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // If networks are allowed, internal names of a deployment may lead into them.
    const known = isIP(literal) === 0 ? plainHttp || !isInternalName(literal) : isAllowed(literal, url.protocol);
    if (!known) throw new AddressRefused(NOT_ALLOWED);
  };
  return {
    plainHttp,
    assertAllowed,
    lookup: (url) => (hostname, options, callback) => {
      resolve(hostname, { all: true }, (error, addresses) => {
        if (error) return callback(error, []);
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isAllowed(address, url.protocol))) {
          return callback(new AddressRefused(NOT_ALLOWED), []);
        }
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
      });
    },
  };
}

function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.trim().split('/');
    const family = isIP(address);
    const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (family === 0 || !(bits <= (family === 4 ? 32 : 128))) throw new Error(`Not a network in CIDR form: ${cidr}`);
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const forbiddenIpv4 = networks(FORBIDDEN_IPV4);
const globalIpv6 = networks(GLOBAL_IPV6);
const forbiddenIpv6 = networks(FORBIDDEN_IPV6);

const contains = (list: BlockList, address: string) => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

function isGlobal(address: string): boolean {
  if (isIP(address) === 4) return !contains(forbiddenIpv4, address);
  return isIP(address) === 6 && contains(globalIpv6, address) && !contains(forbiddenIpv6, address);
}

const withoutZone = (address: string) => address.replace(/%.*$/, '');

/** Returns the IPv4 address that an IPv4-mapped (RFC 4291) or NAT64 (RFC 6052) address leads to. */
function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = groupsOf(withoutZone(address));
  const [high = 0, low = 0] = groups.splice(6);
  const prefix = groups.map((group) => group.toString(16)).join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns the eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const pair = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
    return `${pair(a, b)}:${pair(c, d)}`;
  });
  const [before = [], after = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** Returns whether a name cannot be one of the internet: it has no dot, or an ending for internal names. */
function isInternalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return !name.includes('.') || INTERNAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

export const LONGEST_URL = 2048;

const HTTPS_ONLY = "URL scheme should be 'https'";

/**
 * Returns what is wrong with an address that a caller gave; undefined if nothing is. A valid address is stored and used as it
 * was given. The check resolves no names (rules/notifications.md#webhook-address).
 */
export function urlError(text: string, guard: Pick<AddressGuard, 'assertAllowed'>): string | undefined {
  if (text.length > LONGEST_URL) return `URL should have at most ${LONGEST_URL} characters`;
  // Texts that a URL parser repairs silently are refused. A person who reads the text must see the same address.
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return schemeOf(text) ?? 'Input should be a valid URL';
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'URL should not contain credentials';
  }
  try {
    guard.assertAllowed(url);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return url.protocol === 'https:' ? 'URL should not lead to a private, local or reserved address' : HTTPS_ONLY;
  }
  return undefined;
}

/** The error for a text that begins with another scheme. */
const schemeOf = (text: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https?:/i.test(text) ? HTTPS_ONLY : undefined;
