import { absolute } from '#shared/base/addresses.ts';
import type { Request } from '#shared/http/request.ts';

/** What an address in an answer begins with. */
export type Place = Pick<Request, 'host' | 'org'>;

/** The page of an artifact in a flow. @param report id of the report that it shows; the latest one without it */
export const artifactUrl = ({ host, org }: Place, flow: string, fingerprint: string, report?: string | null): string =>
  absolute(host, `/${org.name}/flows/${flow}/artifacts/${fingerprint}`) +
  (report === undefined ? '' : `?artifact_id=${report}`);
