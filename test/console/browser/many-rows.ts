import type { Page } from 'playwright-core';

/** The most artifacts that a snapshot may have. */
export const ROWS = 10_000;

interface Rows {
  total_count: number;
  artifact_compliance_count: { true: number; false: number; null: number };
  artifacts: Record<string, unknown>[];
}

/** Has the browser get snapshots with 10,000 artifacts: the row of the stored snapshot, with other names and fingerprints. */
export async function showManyRows(page: Page): Promise<void> {
  await page.route(/\/api\/v2\/snapshots\/[^/]+\/[^/]+\/[^/]+\/artifacts/, async (route) => {
    // A request that is made here does not say where it comes from, and a cookie counts in requests of the same origin only.
    const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
    const response = await route.fetch({ headers });
    const rows = (await response.json()) as Rows;
    const [row] = rows.artifacts;
    const json: Rows = {
      ...rows,
      total_count: ROWS,
      artifact_compliance_count: { true: 0, false: ROWS, null: 0 },
      artifacts: Array.from({ length: ROWS }, (_, n) => ({
        ...row,
        name: `app-${n}`,
        fingerprint: n.toString(16).padStart(64, '0'),
      })),
    };
    await route.fulfill({ response, json });
  });
}
