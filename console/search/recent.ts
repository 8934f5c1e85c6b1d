/** A page that this tab showed. Recent pages are held in memory only: names of evidence stay out of the browser's storage. */
interface Recent {
  title: string;
  href: string;
}

const MOST = 6;
let recent: readonly Recent[] = [];

/** The pages that this tab showed last, the newest first. */
export const recentPages = (): readonly Recent[] => recent;

export function rememberPage(page: Recent): void {
  recent = [page, ...recent.filter(({ href }) => href !== page.href)].slice(0, MOST + 1);
}
