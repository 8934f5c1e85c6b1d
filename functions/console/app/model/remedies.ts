/** What a reader can do about a call that has no answer. */
export function remedyFor({ status, retryAfter }: { status: number; retryAfter: number | null }): string {
  const later = retryAfter === null ? 'a moment' : `${retryAfter} s`;
  switch (status) {
    case 0:
      return 'What is shown elsewhere on this page was read earlier.';
    case 400:
      return 'Correct the address or the filters of this page.';
    case 401:
      return 'Sign in to go on where you were.';
    case 403:
      return 'Ask an administrator of the organization for a role that may read this, or to switch on the feature.';
    case 404:
      return 'It may have been renamed or archived, or belong to another organization.';
    case 429:
      return `The service limits the rate of requests. Try again in ${later}.`;
    case 503:
      return `The service is busy. Try again in ${later}.`;
    default:
      return 'If it stays so, give the id of the request to the operator of the service.';
  }
}
