// Written by scripts/write-time-zones.mjs from the time zone database 2026f (IANA, public domain).

/** One zone a line: its names. They are apart from the data, since reading definitions needs only them. */
export function zoneNames(): string {
  return `Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Conakry Africa/Dakar Africa/Freetown Africa/Lome Africa/Nouakchott Africa/Ouagadougou Africa/Timbuktu Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland
Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte
Africa/Algiers
Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Luanda Africa/Malabo Africa/Niamey Africa/Porto-Novo
Africa/Bissau
Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo
Africa/Cairo Egypt
Africa/Casablanca
Africa/Ceuta
Africa/El_Aaiun
Africa/Johannesburg Africa/Maseru Africa/Mbabane
Africa/Juba
Africa/Khartoum
Africa/Monrovia
Africa/Ndjamena
Africa/Sao_Tome
Africa/Tripoli Libya
Africa/Tunis
Africa/Windhoek
America/Adak America/Atka US/Aleutian
America/Anchorage US/Alaska
America/Anguilla America/Antigua America/Aruba America/Blanc-Sablon America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Kralendijk America/Lower_Princes America/Marigot America/Montserrat America/Port_of_Spain America/Puerto_Rico America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola America/Virgin
America/Araguaina
America/Argentina/Buenos_Aires America/Buenos_Aires
America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Catamarca
America/Argentina/Cordoba America/Cordoba America/Rosario
America/Argentina/Jujuy America/Jujuy
America/Argentina/La_Rioja
America/Argentina/Mendoza America/Mendoza
America/Argentina/Rio_Gallegos
America/Argentina/Salta
America/Argentina/San_Juan
America/Argentina/San_Luis
America/Argentina/Tucuman
America/Argentina/Ushuaia
America/Asuncion
America/Atikokan America/Cayman America/Coral_Harbour America/Panama EST
America/Bahia
America/Bahia_Banderas
America/Barbados
America/Belem
America/Belize
America/Boa_Vista
America/Bogota
America/Boise
America/Cambridge_Bay
America/Campo_Grande
America/Cancun
America/Caracas
America/Cayenne Etc/GMT+3
America/Chicago CST6CDT US/Central
America/Chihuahua
America/Ciudad_Juarez
America/Costa_Rica
America/Coyhaique
America/Creston America/Phoenix MST US/Arizona
America/Cuiaba
America/Danmarkshavn
America/Dawson
America/Dawson_Creek
America/Denver America/Shiprock MST7MDT Navajo US/Mountain
America/Detroit US/Michigan
America/Edmonton America/Yellowknife Canada/Mountain
America/Eirunepe
America/El_Salvador
America/Ensenada America/Santa_Isabel America/Tijuana Mexico/BajaNorte
America/Fort_Nelson
America/Fort_Wayne America/Indiana/Indianapolis America/Indianapolis US/East-Indiana
America/Fortaleza
America/Glace_Bay
America/Godthab America/Nuuk
America/Goose_Bay
America/Grand_Turk
America/Guatemala
America/Guayaquil
America/Guyana
America/Halifax Canada/Atlantic
America/Havana Cuba
America/Hermosillo
America/Indiana/Knox America/Knox_IN US/Indiana-Starke
America/Indiana/Marengo
America/Indiana/Petersburg
America/Indiana/Tell_City
America/Indiana/Vevay
America/Indiana/Vincennes
America/Indiana/Winamac
America/Inuvik
America/Iqaluit America/Pangnirtung
America/Jamaica Jamaica
America/Juneau
America/Kentucky/Louisville America/Louisville
America/Kentucky/Monticello
America/La_Paz Etc/GMT+4
America/Lima
America/Los_Angeles PST8PDT US/Pacific
America/Maceio
America/Managua
America/Manaus Brazil/West
America/Martinique
America/Matamoros
America/Mazatlan Mexico/BajaSur
America/Menominee
America/Merida
America/Metlakatla
America/Mexico_City Mexico/General
America/Miquelon
America/Moncton
America/Monterrey
America/Montevideo
America/Montreal America/Nassau America/Nipigon America/Thunder_Bay America/Toronto Canada/Eastern
America/New_York EST5EDT US/Eastern
America/Nome
America/Noronha Brazil/DeNoronha
America/North_Dakota/Beulah
America/North_Dakota/Center
America/North_Dakota/New_Salem
America/Ojinaga
America/Paramaribo
America/Port-au-Prince
America/Porto_Acre America/Rio_Branco Brazil/Acre
America/Porto_Velho
America/Punta_Arenas
America/Rainy_River America/Winnipeg Canada/Central
America/Rankin_Inlet
America/Recife
America/Regina Canada/Saskatchewan
America/Resolute
America/Santarem
America/Santiago Chile/Continental
America/Santo_Domingo
America/Sao_Paulo Brazil/East
America/Scoresbysund
America/Sitka
America/St_Johns Canada/Newfoundland
America/Swift_Current
America/Tegucigalpa
America/Thule
America/Vancouver Canada/Pacific
America/Whitehorse Canada/Yukon
America/Yakutat
Antarctica/Casey
Antarctica/Davis
Antarctica/DumontDUrville Etc/GMT-10 Pacific/Chuuk Pacific/Port_Moresby Pacific/Truk Pacific/Yap
Antarctica/Macquarie Australia/Currie Australia/Hobart Australia/Tasmania
Antarctica/Mawson
Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland
Antarctica/Palmer
Antarctica/Rothera
Antarctica/Syowa Asia/Aden Asia/Kuwait Asia/Riyadh Etc/GMT-3
Antarctica/Troll
Antarctica/Vostok
Arctic/Longyearbyen Atlantic/Jan_Mayen Europe/Berlin Europe/Copenhagen Europe/Oslo Europe/Stockholm
Asia/Almaty
Asia/Amman
Asia/Anadyr
Asia/Aqtau
Asia/Aqtobe
Asia/Ashgabat Asia/Ashkhabad
Asia/Atyrau
Asia/Baghdad
Asia/Bahrain Asia/Qatar
Asia/Baku
Asia/Bangkok Asia/Phnom_Penh Asia/Vientiane Etc/GMT-7 Indian/Christmas
Asia/Barnaul
Asia/Beirut
Asia/Bishkek
Asia/Brunei Asia/Kuching Etc/GMT-8
Asia/Calcutta Asia/Kolkata
Asia/Chita
Asia/Choibalsan Asia/Ulaanbaatar Asia/Ulan_Bator
Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Shanghai PRC
Asia/Colombo
Asia/Dacca Asia/Dhaka
Asia/Damascus
Asia/Dili
Asia/Dubai Asia/Muscat Etc/GMT-4 Indian/Mahe Indian/Reunion
Asia/Dushanbe
Asia/Famagusta
Asia/Gaza
Asia/Hebron
Asia/Ho_Chi_Minh Asia/Saigon
Asia/Hong_Kong Hongkong
Asia/Hovd
Asia/Irkutsk
Asia/Istanbul Europe/Istanbul Turkey
Asia/Jakarta
Asia/Jayapura
Asia/Jerusalem Asia/Tel_Aviv Israel
Asia/Kabul
Asia/Kamchatka
Asia/Karachi
Asia/Kashgar Asia/Urumqi Etc/GMT-6
Asia/Kathmandu Asia/Katmandu
Asia/Khandyga
Asia/Krasnoyarsk
Asia/Kuala_Lumpur Asia/Singapore Singapore
Asia/Macao Asia/Macau
Asia/Magadan
Asia/Makassar Asia/Ujung_Pandang
Asia/Manila
Asia/Nicosia Europe/Nicosia
Asia/Novokuznetsk
Asia/Novosibirsk
Asia/Omsk
Asia/Oral
Asia/Pontianak
Asia/Pyongyang
Asia/Qostanay
Asia/Qyzylorda
Asia/Rangoon Asia/Yangon Indian/Cocos
Asia/Sakhalin
Asia/Samarkand
Asia/Seoul ROK
Asia/Srednekolymsk
Asia/Taipei ROC
Asia/Tashkent
Asia/Tbilisi
Asia/Tehran Iran
Asia/Thimbu Asia/Thimphu
Asia/Tokyo Japan
Asia/Tomsk
Asia/Ust-Nera
Asia/Vladivostok
Asia/Yakutsk
Asia/Yekaterinburg
Asia/Yerevan
Atlantic/Azores
Atlantic/Bermuda
Atlantic/Canary
Atlantic/Cape_Verde
Atlantic/Faeroe Atlantic/Faroe
Atlantic/Madeira
Atlantic/South_Georgia Etc/GMT+2
Atlantic/Stanley
Australia/ACT Australia/Canberra Australia/NSW Australia/Sydney
Australia/Adelaide Australia/South
Australia/Brisbane Australia/Queensland
Australia/Broken_Hill Australia/Yancowinna
Australia/Darwin Australia/North
Australia/Eucla
Australia/LHI Australia/Lord_Howe
Australia/Lindeman
Australia/Melbourne Australia/Victoria
Australia/Perth Australia/West
CET Europe/Amsterdam Europe/Brussels Europe/Luxembourg MET
Chile/EasterIsland Pacific/Easter
EET Europe/Athens
Eire Europe/Dublin
Etc/GMT+1
Etc/GMT+10 Pacific/Tahiti
Etc/GMT+11 Pacific/Niue
Etc/GMT+12
Etc/GMT+5
Etc/GMT+6
Etc/GMT+7
Etc/GMT+8
Etc/GMT+9 Pacific/Gambier
Etc/GMT-1
Etc/GMT-11 Pacific/Guadalcanal Pacific/Pohnpei Pacific/Ponape
Etc/GMT-12 Pacific/Funafuti Pacific/Majuro Pacific/Tarawa Pacific/Wake Pacific/Wallis
Etc/GMT-13
Etc/GMT-14
Etc/GMT-2
Etc/GMT-5 Indian/Kerguelen Indian/Maldives
Etc/GMT-9 Pacific/Palau
Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu
Europe/Andorra
Europe/Astrakhan
Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB GB-Eire
Europe/Belgrade Europe/Ljubljana Europe/Podgorica Europe/Sarajevo Europe/Skopje Europe/Zagreb
Europe/Bratislava Europe/Prague
Europe/Bucharest
Europe/Budapest
Europe/Busingen Europe/Vaduz Europe/Zurich
Europe/Chisinau Europe/Tiraspol
Europe/Gibraltar
Europe/Helsinki Europe/Mariehamn
Europe/Kaliningrad
Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye
Europe/Kirov
Europe/Lisbon Portugal WET
Europe/Madrid
Europe/Malta
Europe/Minsk
Europe/Monaco Europe/Paris
Europe/Moscow W-SU
Europe/Riga
Europe/Rome Europe/San_Marino Europe/Vatican
Europe/Samara
Europe/Saratov
Europe/Simferopol
Europe/Sofia
Europe/Tallinn
Europe/Tirane
Europe/Ulyanovsk
Europe/Vienna
Europe/Vilnius
Europe/Volgograd
Europe/Warsaw Poland
Factory
HST Pacific/Honolulu Pacific/Johnston US/Hawaii
Indian/Chagos
Indian/Mauritius
Kwajalein Pacific/Kwajalein
NZ-CHAT Pacific/Chatham
Pacific/Apia
Pacific/Bougainville
Pacific/Efate
Pacific/Enderbury Pacific/Kanton
Pacific/Fakaofo
Pacific/Fiji
Pacific/Galapagos
Pacific/Guam Pacific/Saipan
Pacific/Kiritimati
Pacific/Kosrae
Pacific/Marquesas
Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
Pacific/Nauru
Pacific/Norfolk
Pacific/Noumea
Pacific/Pitcairn
Pacific/Rarotonga
Pacific/Tongatapu`;
}
