import { read } from '../client/query-client.ts';
import { attestations } from '../trail/operations.ts';
import { control, controlVersions, coverage } from './operations.ts';

/** What the pages of a control read. The routes start these reads, and the pages show them. */

interface Place {
  org: string;
  control: string;
}

const DECISIONS = 20;

export const readControl = ({ org, control: identifier }: Place) => read(control, { org, identifier });

export const readCoverage = (
  { org, control: identifier }: Place,
  { page, covered, q }: { page?: number; covered?: 'true' | 'false'; q?: string } = {},
) =>
  read(
    coverage,
    { org, identifier },
    {
      per_page: 50,
      page: page ?? 1,
      ...(covered !== undefined && { covered: covered === 'true' }),
      ...(q !== undefined && { name: q }),
    },
  );

export const readDecisions = (
  { org, control: identifier }: Place,
  { cursor, result }: { cursor?: string; result?: 'true' | 'false' } = {},
) =>
  read(
    attestations,
    { org },
    {
      control: identifier,
      per_page: DECISIONS,
      ...(cursor !== undefined && { cursor }),
      ...(result !== undefined && { is_compliant: result === 'true' }),
    },
  );

export const readVersions = ({ org, control: identifier }: Place, page = 1) =>
  read(controlVersions, { org, identifier }, { page, per_page: 50 });
