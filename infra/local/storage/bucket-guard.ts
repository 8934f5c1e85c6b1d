import { type BucketRequest, bucketAccesses, listAccess } from '../rights/bucket-calls.ts';
import type { FunctionRights } from '../rights/function-rights.ts';
import { accessDenied } from './s3-failure.ts';

/**
 * Checks requests to the bucket against the rights of the function that signed them. A form or an address that a function
 * signed has the rights of this function when it is used. Requests that no function signed pass.
 */
export class BucketGuard {
  readonly #rights: FunctionRights | undefined;

  constructor(rights: FunctionRights | undefined) {
    this.#rights = rights;
  }

  /**
   * @param request the request; its URL is as sent
   * @throws S3Failure AccessDenied
   */
  check(
    accessKeyId: string,
    {
      url,
      copySource,
      ...request
    }: Omit<BucketRequest, 'query' | 'copySource'> & { url: string; copySource?: string | undefined },
  ): void {
    if (!this.#rights?.has(accessKeyId)) return;
    const query = new URLSearchParams(url.split('?')[1] ?? '');
    const decoded = copySource === undefined ? {} : { copySource: decodeURIComponent(copySource) };
    const refusal = this.#rights.refusalOf(accessKeyId, () => bucketAccesses({ ...request, query, ...decoded }));
    if (refusal) throw accessDenied(refusal.message);
  }

  /**
   * A function without the right to list the bucket must not learn which objects are missing.
   *
   * @throws S3Failure AccessDenied
   */
  hideMissing(accessKeyId: string, bucket: string): void {
    if (!this.#rights?.has(accessKeyId)) return;
    const refusal = this.#rights.refusalOf(accessKeyId, () => [listAccess(bucket)]);
    if (refusal) throw accessDenied(refusal.message);
  }
}
