import type { Stores } from '#shared/bodies/stores.ts';
import { getPackage as get } from '#shared/exports/packages/read-package.ts';
import { GET_EXPORT } from '#shared/exports/read-exports.ts';
import { packageErased, packageNotFound } from '#shared/exports/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { PackageWithAddress, packageOut } from './package-output.ts';

/** GET /packages/{org}/{package_id}: state and progress of a package, and its address (rules/exports.md#download-of-a-package). */
export const getPackage = endpoint({
  operation: 'getPackage',
  method: 'GET',
  path: '/packages/{org}/{package_id}',
  summary: 'Get a package of evidence, with the address of its archive when it is done',
  access: 'reader',
  success: { 200: PackageWithAddress },
  errors: [packageNotFound, packageErased],
  uses: GET_EXPORT,
  handler: async ({ params, org }, stores: Stores) => {
    const { record, address } = await get(stores, org, params.package_id);
    return { status: 200, body: { ...packageOut(record), download_url: address } };
  },
});
