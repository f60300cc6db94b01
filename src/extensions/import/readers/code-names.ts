/** Names of countries and currencies, which files name by their codes, in both languages of the API. */

export interface Named {
  readonly de: string
  /** Null if the file has one name only. */
  readonly en: string | null
}

export const asItIs = (text: string): Named => ({ de: text, en: null })

/** @returns the name of a code in both languages, or another text as it is; each is looked up once */
function namesOf(type: 'region' | 'currency', form: RegExp): (text: string) => Named {
  const german = new Intl.DisplayNames('de', { type })
  const english = new Intl.DisplayNames('en', { type })
  const known = new Map<string, Named>()
  return (text) => {
    if (!form.test(text)) return asItIs(text)
    const name = known.get(text) ?? { de: german.of(text) ?? text, en: english.of(text) ?? text }
    known.set(text, name)
    return name
  }
}

/** The codes of ISO 3166-1 with three letters, each with that of two behind it. XKX is what Kosovo has in use. */
const threeLetters = `
ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF
BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN
CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC
EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW
GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS
ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS
LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS
MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE
PHLPH PLWPW PNGPG POLPL PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ
SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ
TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN
VUTVU WLFWF WSMWS XKXXK YEMYE ZAFZA ZMBZM ZWEZW`

const twoOfThree = new Map(
  threeLetters
    .trim()
    .split(/\s/)
    .map((both) => [both.slice(0, 3), both.slice(3)]),
)

/** Codes of three letters that users of ISO 3166 may give a meaning. */
const ofUsers = /^(?:AA[A-Z]|Q[M-Z][A-Z]|X[A-Z]{2}|ZZ[A-Z])$/

/** @returns the code of a country with two letters, for one of two or three, in either case; another text as it is */
export function countryCode(text: string): string {
  const code = text.toUpperCase()
  if (/^[A-Z]{2}$/.test(code)) return code
  return twoOfThree.get(code) ?? (ofUsers.test(text) ? 'XX' : text)
}

const regionName = namesOf('region', /^[A-Z]{2}$/)
/** Codes that users of ISO 3166 may give a meaning have no name; of these, the list of names has three that are no places. */
const noPlaces = ['ZZ', 'XA', 'XB']
const isNoPlace = (text: string): boolean =>
  /^[A-Z]{2}$/.test(text) && (noPlaces.includes(text) || regionName(text).de === text)

/** Of a code of ISO 3166, of two or three letters. */
export function countryName(text: string): Named {
  const code = countryCode(text)
  return isNoPlace(code) ? { de: 'Sonstige', en: 'Other' } : regionName(code)
}

/** @returns what is left out with a code that names no country; undefined for another text */
export const codeOfNoCountry = (text: string): string | undefined =>
  isNoPlace(countryCode(text))
    ? `the code ${text}, which names no country: the item is Sonstige (Other)`
    : undefined

/** @returns the code of ISO 4217 for one in small letters. Of mixed ones the case counts: GBp is a hundredth of GBP */
export const currencyCode = (text: string): string => (/^[a-z]{3}$/.test(text) ? text.toUpperCase() : text)

const moneyName = namesOf('currency', /^[A-Z]{3}$/)
/** Of a code of ISO 4217. */
export const currencyName = (text: string): Named => moneyName(currencyCode(text))
