import { BASE_PATH } from '#shared/base/addresses.ts';
import { invalid } from '#shared/base/errors.ts';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { RecordGone, recordGone } from '#shared/base/proofs/record-gone.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { mayAs, type Role } from '#shared/callers/roles.ts';
import {
  getAuditReceipt,
  getEnvironmentReceipt,
  getEvaluationReceipt,
  getTrailReceipt,
} from '#shared/log/receipts/get-receipts.ts';
import type { OpenedReceipt } from '#shared/log/receipts/receipt.ts';
import { indexOf } from '#shared/log/records/claims.ts';

/** Who asks for a receipt. */
interface Asking {
  org: Organization;
  role: Role;
  /** The address of the service. */
  host: string;
}

/** Reads the receipt at a path below the receipts of an organization: its kind, then names, then a number. Undefined: no such path. */
function readAt(
  stores: Reading,
  { org, role }: Asking,
  [kind, ...parts]: readonly string[],
): Promise<OpenedReceipt | null> | undefined {
  const [one = '', two = '', three = ''] = parts;
  switch (`${kind} ${parts.length}`) {
    case 'trails 3': {
      const names = { flow: AnyFlowName.parse(one), trail: AnyTrailName.parse(two) };
      return NUMBER.test(three) ? getTrailReceipt(stores, org, { ...names, number: Number(three) }, true) : undefined;
    }
    case 'environments 2': {
      const env = AnyEnvironmentName.parse(one);
      return NUMBER.test(two) ? getEnvironmentReceipt(stores, org, { env, number: Number(two) }, true) : undefined;
    }
    case 'evaluations 1':
      if (!org.features.includes('evaluations')) throw permissionDenied();
      return getEvaluationReceipt(stores, org, one, true);
    case 'audit 1':
      if (!mayAs(role, 'admin')) throw permissionDenied();
      return getAuditReceipt(stores, org, one, true);
    default:
      return undefined;
  }
}

const NUMBER = /^[1-9]\d{0,9}$/;

/**
 * Reads the receipt at an address of this service, as JSON, with the role and the feature that its endpoint asks for.
 *
 * @returns null if no checkpoint covers the record yet
 * @throws ServiceError `invalid` if it is no address of a receipt of the organization, and those of the receipt
 */
export async function readReceiptAt(stores: Reading, asking: Asking, address: string): Promise<string | null> {
  const { org, host } = asking;
  const start = `${BASE_PATH}/receipts/${org.name}/`;
  const path = address.startsWith(`${host}/`) ? address.slice(host.length) : address;
  const parts = path.startsWith(start) ? decoded(path.slice(start.length).split('/')) : undefined;
  const reading = parts && readAt(stores, asking, parts);
  if (!reading) {
    const example = `${start}trails/web/run/1`;
    throw invalid({
      address: `Should be the address of a receipt of the organization '${org.name}', such as ${example}`,
    });
  }
  const receipt = await reading.catch(async (error: unknown) => {
    if (!(error instanceof RecordGone)) throw error;
    const index = await indexOf(stores.table, org.id, error.subject);
    throw index === null ? (error.unlogged ?? error) : recordGone({ index }, { cause: error });
  });
  return receipt && jsonOf(receipt);
}

/** @returns undefined if a segment is not encoded as in an address */
function decoded(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

/** The form in which receipts are verified together with their texts. */
const jsonOf = ({ proof, index, size, hash, opened }: OpenedReceipt): string =>
  JSON.stringify({
    ...{ proof, index, size, hash: hash.toString('hex'), header: opened?.header },
    openings: opened?.openings.map(({ name, salt, text }) => ({
      name,
      salt: salt && Buffer.from(salt).toString('hex'),
      text,
    })),
  });
