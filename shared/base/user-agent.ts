/** How the service names itself where it asks others: to targets of notifications, and in the account's log of AWS calls. */
export const USER_AGENT = 'delivery-evidence/1';
