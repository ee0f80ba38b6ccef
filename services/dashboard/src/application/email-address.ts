const LOCAL_AND_DOMAIN = /^[^\s@"<>,;:\\()[\]]{1,64}@[^\s@"<>,;:\\()[\]]{1,190}\.[^\s@"<>,;:\\()[\]]{2,60}$/;

/** Has it the shape of one? Whether there is such an address, the mail server knows. */
export function isEmailAddress(text: string): boolean {
  return LOCAL_AND_DOMAIN.test(text);
}
