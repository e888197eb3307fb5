"""How usual a term is in texts about software, whatever the project. Pure data; hot.

Written by bench/background.py, which says from what; do not edit. A store's own counts know nothing while
it is young; beside these they do. Terms are those of foreword.text.words.
"""

# The greatest share, and what a level's share is to the one before it. A row begins with `=` and the first
# character of its terms; `:7` is before those of level 7. Chinese and Japanese are one row.
# It is searched as it is: a dict of all terms takes 1.1 ms to make, the first twenty shares take 0.1 ms.
_TOP, _STEP = 0.4394, 0.95
_TERMS = """
=0 :11 0 :59 05 :60 01 06 :61 02 04 :63 03 :64 08 09 :66 07 :98 00 :112 000 :139 001 :145 0x =1 :11 1 :42 10
:46 11 12 :57 14 :58 16 :59 13 :61 15 :63 17 :64 18 :68 19 :76 100 :101 1000 :106 123 :107 1024 :110 128 :116
1421 :131 1d :132 1234 127 :134 10000 :138 1s :142 1080 :143 110 12345 :144 101 :145 120 123456 =2 :18 2 :62
20 :63 2019 :66 2022 :67 21 :70 22 :72 2017 23 28 :73 2018 24 :74 2015 2020 2021 26 :75 2013 27 :77 2016 25
:79 2014 :81 29 :85 2023 2025 2026 :87 2024 :99 200 :110 256 :113 2d :119 2012 255 :129 250 :133 2008 2010
20px :138 2000 2011 :144 2nd =3 :22 3 :68 30 :74 32 :81 31 :105 35 :106 37 :108 36 :109 300 :111 34 38 39 :112
33 :115 3d :126 3px :133 3000 :136 307 :137 3600 :141 30000 3rd :145 3986 =4 :30 4 :100 45 :101 42 :104 40 47
:108 404 46 :111 43 :112 400 :117 44 :118 48 :121 49 :126 41 :137 401 :138 4th :141 4096 4xx :144 429 =5 :35 5
:96 50 :106 500 :126 54 :127 51 55 :128 59 :129 53 :130 56 :131 57 :136 52 :138 5000 :140 512 :141 5xx :143 58
=6 :40 6 :78 64 :99 60 :112 62 :129 600 65 :138 63 :140 67 =7 :43 7 :115 72 :128 75 :130 70 =8 :44 8 :119 85
:120 80 :121 86 :131 800 :140 87 :144 8080 =9 :55 9 :112 95 :118 90 :126 99 :133 98 :145 96 =a :10 add :33
able ahead allow already alway another answer app application argument around :34 api :39 array :41 arg :44
action :46 availabl await :50 access :54 accept async attribut :55 apply automatically :56 avoid :60 agent :61
account additional address :64 activ :65 associat :66 across :67 auto :69 append :71 ap attempt :72 apis assum
:73 attach :74 appli :75 affect android ask auth authentication :76 absolut abstract assign :77 actually alia
:79 actual addition anyth appropriat :81 abort alpha amount automatic :82 advanc appear attr :83 artifact
assignment :84 along ast :85 arbitrary architectur :86 accord annotation asset :87 ability :88 algorithm
animation :89 align alternativ author awar :90 approach assert :91 ai alongsid area ascii assertion aws :92
adjust :93 alias analytic arrow :94 accessibility alter :95 analysis :96 anymor authenticat axis :97
authorization :98 activity :99 abi adapter adopt alon angl archiv :100 act admin aria :101 accessibl arm audio
:102 abstraction anywher asynchronous :103 alternatively anchor :104 activat although appl approv away :105
additionally aggregat animat arm64 :106 activation age applicabl assumption :107 absent adapt amazon analyz
:108 abc aliv allocat amd ancestor april :109 acquir alt asynchronously :110 accidentally accumulat :111
accessor alert alternat arriv :112 add_library almost anonymous arch avg :113 accordingly :115 ad addon
attention automat avatar :116 administrator agnostic audit automation :117 achiev agre allocation annotat
approval approximat august :118 ambiguous azur :119 appearanc asyncio attachment :120 advantag aspect atomic
:121 adjacent alignment :122 arc autocomplet :123 ambiguity apach :124 acceptabl accurat adoption anyway
assembly :125 abs advertis aforemention afterward aim argv authoriz axe :126 abortsignal adher angular apr
averag :127 a11y ac among announcement availability :128 advic aggregation andrew approximation awaitabl :129
aris arithmetic assistant :130 addr analyzer appropriately ar architect :131 accomplish arg1 ascend :132
argpars :133 actively adjustment alphanumeric apollo authority :134 accommodat ansi anyon :135 accidental amp
apart arg2 arr arraybuffer :136 assignabl atomically augment autocompletion :137 accuracy acme
addeventlistener adjacency :138 acceptanc :139 adaptiv ago aid ajax api_key arbitrarily assembl :140
accurately acknowledg actionabl articl auxiliary :141 alan asm :142 agreement aka announc approximately arrang
attack :143 al alchemy alic ax :144 aa accelerator affinity analogous assist awareness awesom :145 ab abandon
absenc acl alphabetically anti augmentation authenticator :146 a1 appdata =b :33 back best better big bit
bring bug build :42 block :48 break :50 bas :51 base :52 browser :53 behavior :54 buffer :55 boolean byte :58
built :61 bash :62 body :63 bump :66 bundl :67 binary :69 background :70 bar batch button :73 bool :74 bound
:75 boundary :76 becom bind :78 basic :80 begin :82 broken :83 backward box branch :84 backend builder :85
beta bugfix :88 badg bin :91 base64 bottom bucket :92 bigint :93 bare behind :94 blob :96 behav :97 balanc
brows builtin :98 bundler :99 behaviour belong blog bridg :100 benchmark border bracket :103 blank :104 brac
:105 bad beyond brief :106 benefit :107 basenam bypass :108 brand :110 broadcast :111 basis brok :112
bootstrap :113 bubbl budget :114 baz :115 besid browserify :116 babel :117 blue bulk bun :118 business :121
black blur breakpoint :123 backslash bytecod :125 backoff baselin :126 backgroundcolor backport :127 banner
borrow bsd :128 bitmap bower :129 breakdown :130 backspac behalf bidi bot breadcrumb :131 bullet :132 bearer
bi :133 believ book :134 bitwis :135 ben bill :136 basically blend blink bom boost broad brought :137 bg brew
:138 becam blocker bloom bob :139 busy :140 barrier bat :142 behavioral boxe :143 backup :144 bold bookmark
bytearray :146 bounc brain brevity =c :18 chang :22 creat :24 call :26 code :33 case check class clean clear
clos come command commit complet config continu correct correctly current currently :36 const :37 client
contain :41 content :43 component context custom :45 configuration connection :46 com :48 cach :49 callback
cli configur :52 compil convert :55 cmak common control :56 caus core :58 character connect consol :59 chain
:60 comment count :61 copy :62 constructor :64 color compiler css :65 column compatibility comput consider :67
correspond :68 click :69 child :70 chor construct crash :71 compatibl :73 contract :74 caller ci :75 catch :76
creation cross :77 children compar completion condition container :78 captur :79 choos collection cursor :80
chunk :81 cloud conditional :82 certain cleanup compilation compress constant cover :83 calculat changelog
convention :84 capability category clon comparison consistent cost :85 chat combin conversion cooki customiz
:86 cancel channel collect consum cooky counter credential :87 comma contribut coordinat :88 consumer :90
center chrom copi :91 callabl codebas compact complex compos compression configurabl conflict :92 carry choic
classnam :93 claim cmd completely confirm coverag :94 constraint :95 canonical controll :96 cast concurrent
confirmation conversation :97 convenienc :98 chosen cluster cod combination concept concret contributor :99
certificat cpu :100 commonj community controller criteria :101 calculation cb cc codegen contact contrast :102
clipboard contribution csp ctrl cxx :103 construction :104 cd char commonly consist :105 care collaps
copyright :106 candidat card cdn :107 cancell cap checkout closur crypto cycl :108 central compliant critical
:109 communication concat confus converter :110 chromium cjs clarify corner :111 collision compat composit
consistency cpp cut :112 cas catalog clock compressor :113 camera concatenat concurrently :114 composition
concern conditionally :115 caught computation coupl customization :116 cancellation canva cert checker closest
concurrency :117 ca came cdp checkbox communicat consideration cs cwd :118 clang colon contenttyp customer
:119 cell consumption curv :120 codecov :121 claus consistently credit csv :122 caption company complianc
consecutiv consolidat :123 camel clamp :124 caret companion conform contrib creator cve :125 charset clarity
claud clip colour cours :126 cartesian caveat challeng comprehensiv convenient coroutin crlf :127 capacity cls
cn consent continuation counterpart :128 capabl cart checkpoint classification coalesc coefficient constrain
cumulativ :129 collector consult :130 classic col conduct conjunction cor ctx :131 chanc composer crat :132
caution cf concatenation confusion conventional correction :133 cfg cheap complexity connectivity connector
cube cutoff :134 clearly collid conf contiguous cpython createwritestream :135 chart circl crossorigin :136
closely collectiv complement computer con cp :137 carri ceil classify clearer coerc comparator continuous
cygwin :138 camelcas centraliz clickabl co contextual correlation :139 careful complicat corrupt corruption
curl :140 calc cat circular cog concis :141 chao checksum conn cos :142 calendar cflag codec coloriz comp
comparabl comply consequenc cv :143 canary cascad cipher cl clobber conjugat connectiontimeout corp
currenttarget :144 completeness :145 carefully checklist circuit clarification closer cmakelist colocat
confidenc :146 characteristic charg correlat cosin country =d :18 default :24 data :33 delet describ detail
different directory doc document :44 defin dependency :50 depend description :52 disabl :55 display :56
definition directly drop :57 documentation :58 debug dev :59 deprecat :61 dir :62 db :63 databas determin :64
dict dom :68 dictionary :69 date :70 destroy dynamic :71 development :72 decod detect :73 developer download
due :74 diff :76 devic :77 deriv domain :78 duplicat :79 declar differenc direct :82 depth :83 declaration
destination detection dimension doubl :84 def design :85 defer delay :87 deployment dialog duration :88
direction docker :89 dep dispatch :90 distinct driver ds :91 deep deploy dot :92 deprecation descriptor differ
directiv disk dist :93 distribution :94 decid desir :95 dash dashboard deliver discovery distanc draw dump :96
day decision decorator disconnect :97 dtyp :98 decimal discard discover :99 de demo :100 devdependency
diagnostic :101 detach dispos :102 delegat delta drag dynamically :103 dark distribut :104 datetim deal
dependent deterministic :105 devtool draft driven :106 degre delivery demonstrat distinguish :108 descendant
:109 datatyp dead dns :110 demand digit driv :111 decreas desktop drift :112 dedicat deserialization
dimensional disallow discussion downgrad :113 del di discriminat div :114 delimiter dim :115 deeply
differently dm :116 develop duplication :117 delimit dirty :118 debugger declarativ dispatcher divid :119
daniel david decorat deletion dens doctyp dry :120 decomposition decoration downstream :121 deserializ dummy
:122 dag decompress dialect digest drawn :123 despit discuss dpi :124 descend :125 docstr :126 dd deni diagnos
:128 debian denot deny deposit dest drill :129 deadlock decoder defaultvalu differentiat dismiss :130
deactivat decompos dedup diagonal :131 dan dangerous deliberately density desc dst :132 descriptiv disappear
dt :133 darwin dataset december decrypt deduplicat destructor discord :134 daily deduplication displaynam dock
:135 dataclass distinction doctest dup :136 department :137 discret :138 dart diagram difficult division dll
:139 dos drain :140 deeper derivation determination digital disposal :142 daemon dropdown :143 damag designat
disposition doubt dtl dual :144 disposabl divisor :145 deviation :146 dangl deadlin dog =e :20 error :28
exampl :33 ensur everyth exist expect explain explor :37 event :39 export :40 enabl :47 element environment
:48 empty end :53 entry :54 expression :56 execut :57 extension :58 emit exception :59 editor encod :60 edit
:61 expos extend :62 even :66 effect :67 experimental :68 execution :70 escap exit explicit extra :71 evaluat
:72 equivalent external :73 edge engin env explicitly :74 equal :75 endpoint :77 extract :78 entir exclud :79
email :80 enter :82 exact exactly :83 esm :84 es executabl exp :85 err except :86 eval :87 enforc expand :89
en entity experienc expir :90 enough enum :91 es6 :94 early easy :95 easier establish :96 easily entirely :97
embed encounter :99 eslint :100 enclos exec :101 effort emb estimat express :103 effectively enhanc exc :104
earlier endif especially :105 expansion :106 eg enhancement ext :107 effectiv efficient evaluation :108
encrypt eq exceed :109 enterpris :111 electron encryption explorer :112 emulat equality :113 echo editabl es5
exce exclusiv expiration :114 encoder exe explanation :116 ed elaborat elsewher encapsulat entrypoint
everywher expensiv expr :117 el exchang :119 ecosystem emitter envelop :120 ecmascript :121 eager ecma
expectation exponential :123 enumerabl eventually ex :124 emoji endian enqueu :125 efficiency eliminat elixir
estimation evolv exponent :126 english essentially eye :127 encourag enumerat executor existenc extraction
:128 emulation epoch expiry :129 essential evict :130 e2e ec examin exclusion :131 easiest elaps envvar eof
everyon :132 evidenc :133 efficiently enumeration equation exhaust externally :134 eas exhaustiv experiment
:136 elementwis engineer eol exploit extensibl :137 encodeuricomponent endless ephemeral :138 esc eventtarget
excessiv :139 eagerly et evenly extraneous :140 epsilon etag eventnam :141 eclips edition existent :142
exploration :143 eviction :144 endfor :145 ease east eigenvalu environ :146 earth eventual =f :17 fix :18
function :19 file :33 fail featur field find first folder follow :36 fals :37 fixe :43 format :50 fetch form
:55 filenam flag :56 full :57 found :61 filter :65 failur :67 foo func :68 fallback :69 finish forc futur :72
fram :74 fast flow focus :75 float forward free :76 functionality :77 feat fully :78 fill framework :79 fall
:80 final :81 factory :84 fragment :85 font :88 favor fire :89 fs :90 fit :91 fresh :92 flatten :93 factor fir
:94 faster fold :97 flight fn :98 front :99 finally formdata :100 far filesystem fixtur :101 fact firefox :102
fee fullscreen :103 finaliz flat flush :105 family :107 feedback :108 foreach :110 face formatter functional
:111 figur flexibl float32 frontend :112 fine four :113 feel :114 fun :115 feb foundation freez fulfill :116
fork frontmatter :117 fac february flip forbidden friendly :118 feed filepath flash flex :119 fatal :121
facilitat :122 float64 forg fr :123 file2 :124 fake ff file1 foreign frac frequently :126 fewer former
fraction :127 fenc :128 faq flavor frequency :129 floor :130 flicker frozen :131 fade falsy :132 forgot :133
fd focusabl :134 fly foreground :136 footer forever forth :137 fnam :138 finit formula :139 favicon fre :140
fashion foobar forget :141 ffffff flaky fractional :142 fair flexibility :143 fastest forcefully furthermor
:144 favour fi fil five fluent :145 fmt =g :33 good great :41 generat :52 github :54 global :58 group :63 guid
:64 git :65 graph :72 generator :73 generic googl :75 generation :84 gyp :88 greater :89 gas general getter
glob :94 guarant :95 generally :97 give grant :98 guard :99 gh :100 globally :101 guarante :103 geometry :105
grunt :106 gitignor :107 giv goal gzip :109 gateway :110 gpu :111 gl gracefully grammar :112 gen grid :113 gap
greet grow gt :114 gain guidelin :115 graphql green :116 garbag :117 gemini :118 gestur glyph guidanc :119
gate :120 game :122 gather grep guess :123 getcontext :124 getitem ground :125 gc gui :127 gcc getelementbyid
gutter :128 gnu :129 gamma ghsa :130 granular :132 gallery globalthis grain graphic :133 glsl graceful growth
:134 gat geo getuser gpt :135 gb govern :136 getattribut gs :137 gaussian geolocation goto :139 gz :141 gif
gltf :142 generaliz glanc glue grad gradient :143 gte :144 gcs geometric getpost getvalu :146 getall =h :31
http :33 handl help :46 header :48 html :54 handler :61 hook :63 host :69 hash :70 helper highlight :73 height
history :76 happen hub :78 hand hello hold :79 hidden :80 high home :81 head :82 hide :88 higher :93 human :94
hard hint :97 hex hover :98 href :99 hostnam :100 hit horizontal :101 half :103 hierarchy highest :104 helpful
:105 hour :108 held :109 hang :110 honor :112 hasownproperty :113 harden :114 highly :115 hardcod :116
headless :117 hydration :118 handshak hardwar :119 handlebar health :120 holder :121 hydrat :123 homepag :124
halt heuristic hid :125 hack hoist hybrid :126 hashabl hole :127 h1 :128 heap :133 happy hog :134 henc
hexadecimal httponly :135 h2 htmlelement :136 hyphen :137 hierarchical hotkey huge :138 heavy honour
horizontally html5 :139 hot :140 harder :142 hero historical :144 handy hoc :146 hd heavily hood =i :29 includ
:32 import :33 implement improv input instead issu :34 id :39 instanc :49 install :50 index :52 information
internal :53 implementation :54 interfac item :55 ignor :60 info insid invalid :61 indicat :63 identifier imag
int invok :64 initializ inlin :65 icon integer :66 integration :67 initial :68 introduc :70 init :73
immediately :74 improvement :75 important insert io :76 identify :77 instruction :78 individual :79 ie inherit
installation :80 ids :81 intend interaction :82 increas :84 incorrect internally interval :86 invocation :87
inc :88 instantiat ios :89 identity indic infer initialization :90 interact :91 inner iterator :92 impl inject
:93 instrumentation interactiv isolat :94 incom iterat :95 increment inspect iterabl iteration :96 ide idle
independent :97 indent infinity :98 identical interpret invers :99 img implicit independently :100 incomplet
initiat :101 identifi impact infinit insensitiv intercept :102 inferenc involv :103 incorrectly indicator :105
integrat introduction ip :106 implicitly :108 incremental :109 immediat insertion interrupt :110 incompatibl
:111 illegal immutabl intermediat :112 idea instanceof interpolat invariant ipc :113 indentation instruct
isarray :114 ie11 injection :115 ie8 interpreter isolation :116 imply interoperability :117 ifram initially
inspector int32 iso :118 impli incrementally intent intersection invalidat :119 insight inspir :120 inheritanc
intentionally :121 iife inclusiv infrastructur instrument intersect :123 incur :124 inform interest internet
:125 initializer instantiation :126 inconsistent int64 ipv4 iter :127 i18n idp ime :128 idl innerhtml
instantly integrity :129 inactiv indirect inf invert :130 idx impossibl intel ipv6 isnan :131 issuer :133
inconsistency indefinitely indirectly insufficient interfer :134 ideal ie9 iff invisibl invit ir :136
individually ipv :137 identification inspection :138 inclusion influenc intelli intentional ion :139 inaccurat
installer intact integral interpolation interpretation isinstanc :140 ie10 :141 indexof interactively ipad
:142 inadvertently informational intellisens inventory :143 impos incorporat indexerror informativ inst inter
interop introspection :144 ia idempotent illustrat imperatively ing invalidation investigation :145 insecur
instant interleav ispend =j :27 js :37 json :54 javascript :56 java :70 join :96 jsx :98 job :107 jsdoc :112
john :113 january :118 jan jpg :123 jame :126 jump :128 jshint :130 jul :131 jit july :135 jq :137 jason jpeg
:138 justify :140 jonathan junit :141 jar journey jwt :146 june =k :30 key :33 keep :67 known :71 keyword :89
kwarg :92 keyboard :97 kept :101 kill :112 know :113 keydown :116 kind :118 kernel :119 knowledg :122 kit :124
kotlin :127 ki :129 keybind :131 ks :132 kb :133 keepaliv :135 keyerror :136 keyup :137 kw :139 kebab =l :29
list :33 languag line load long look :44 link log :49 level :52 library :54 local :55 length :57 label longer
:61 location :62 latest limit :64 left :68 layout lib logic :71 listener :72 linux live :74 loop :75 larg
layer literal llm lower :77 later lead leav licens lock :78 lazy legacy ls :80 learn :84 leak :85 lookup :86
launch :87 loader :89 localhost login :90 larger light listen :93 lint locally :94 len low :97 lifecycl
limitation logical :99 locat :100 likely lowercas :102 linear linker logger lost :103 lazily letter :105
lambda logo :106 land :108 latter :110 lang lite :113 latex life :114 lf :116 leverag lifetim linter lts :117
loss :118 leaf :119 localstorag :120 lose :121 la latency liquid littl lowest :122 largest :123 lab :124 lack
legal lightweight lot lt :125 launcher :126 localiz :127 ld locator :128 loglevel :129 l1 :132 lar loadabl
:133 le lodash :134 late lax llvm lru :135 lift liv :136 lhs :137 lexer likewis literally :138 let :141 lake
:142 lie :143 lee li localization :144 lm :145 latitud :146 largely lean loc logarithm longitud lu =m :30
method :33 main miss modul move :34 messag :41 match mode :43 map :45 model :47 multipl :57 memory :59 max :60
md mean metadata minor :61 merg :66 manager :67 mac :68 maximum :70 manag :72 mark mov multi :73 menu meth
modify :75 maco min :76 major manually minimum :77 matrix :78 math :79 mak modifi :80 maintain markdown meta
:81 manifest :82 marker :84 migrat :85 management mock :86 manual member :87 matcher migration minimal mous
:88 mutat :89 millisecond ms :92 mutation :93 master mirror mix modern monitor mount :94 mechanism :95 media
metric :96 modification :97 machin mask measur :98 mostly :99 margin mobil multipart :100 macro minut :101
makefil :102 mod msg :103 mixin mjs mocha mozilla :104 material mysql :105 maintenanc march meant :106 mime
mit :107 microsoft middlewar mismatch :108 manner matter middl minifi modifier :110 mistak :112 mb modal
multiply :113 multilin :114 malform meet mention myapp :115 minimiz moment mutabl :118 month :119 manipulat
manipulation markup :120 mandatory matric minus :121 meaningful :122 michael mm :123 median motion :124 mcp
multiplier :125 menus mid mind :127 massiv maximiz minify msvc mutually :128 magic memoiz :129 matt mimetyp
:130 md5 mesh met mut :131 majority medium micro :132 maintainer minification :133 mangl maxag meter modulus
:134 measurement movement multiplication :135 mail mar :136 mainly mdn mr :137 mimic morph :138 mega minimatch
misc mousedown :139 mi motivat :140 market matthew memoization :141 mnemonic monorepo monotonic multipli :142
mandat martin mass materializ mouseup :143 maker mechanic merely misspell :144 malicious membership mkdir :145
menuitem ml monkeypatch mu multipag :146 mipmap mypy =n :17 name :21 new :29 node :33 nice number :40 note :43
non :44 null :55 npm :57 network :59 nativ :62 nam need :71 navigation nest :73 namespac :74 necessary :77 npx
:79 normaliz :80 navigat :82 normal :85 notification :86 negativ :87 nan :88 nodej :90 na numeric :92 num :93
nav :95 notify :96 natural :97 narrow newlin :98 normally :100 newer :101 node_modules numpy :102 newly :105
nearest :106 net :107 nonc :108 notic :110 ns :112 notation :114 npmignor :116 normalization :117 notabl nth
:118 necessarily nov :120 november np numerical :122 nullish nyc :123 navigator ninja :124 natively near :126
nathan :128 ndarray nullabl :130 not npmj :131 norm :134 neighbor :136 neutral :137 naiv negotiation nx :138
napi negotiat :139 nois notifi :140 nodetyp noproxy notimplementederror :141 negat networkx :142 night :143
normalis :146 newest =o :20 object :21 option :33 old open order output :43 optional :47 operation :51
otherwis :53 overrid :59 os :64 org :67 original :69 optionally :72 occur opt :75 omit operator optimiz outsid
:77 offset :80 obj origin :82 older :84 operat :85 one optimization overview owner :88 op :91 overridden :92
offer overwrit own :93 obtain :96 organization overflow :97 overload :99 official :101 overlap :102 ops :103
outlin :104 overlay :105 outer :106 organiz :108 overall :110 observ optimistic :111 oauth observer :112
october onerror ordinary originally :114 observabl opaqu :117 obsolet oracl outcom :118 occurrenc :119 offlin
overhead overwritten :120 oct orientation ownership :121 oppos :123 optimal :124 o3 optimism originat osx
outgo :125 onlin :127 opposit :128 outdat :131 opcod :133 obvious operand optimizer oserror :134 objectiv
opentelemetry :135 opacity oss outlet :136 observability odd orient outstand overhaul :137 otel outbound :138
optimis :139 objc oldest :140 octal onload :141 orphan :142 object_id oh ongo openssl :143 occurenc :144
onchang orchestration :145 octet :146 obscur =p :32 provid :33 packag parameter part pass path plac plan point
possibl print problem proc program project properly property :44 patch :46 page :48 pars process :49 param :54
prevent :55 plugin :56 platform provider :57 promis python :59 parent position public :60 perform performanc
prefix prop :63 produc :64 policy post present :65 pattern :66 protocol py :68 pair pool preserv :69 partial
:70 pre previous previously privat :71 parser port :72 prefer publish :74 plain prototyp :75 payload pend
permission prompt proxy :76 profil :79 product :80 progress purpos :81 pull :82 plus primary push :83 pick :84
pointer production :85 particular :86 pr prepar :87 past peer positiv :88 password populat :89 parallel pixel
practic pure :90 paus persist phas primitiv priority :91 party pipelin potential precedenc precision press :92
postgr :93 pack power preview :94 pad prior proper :95 persistent :96 preferenc prepend :97 propagat :98
possibly potentially :99 png :100 pathnam pin placeholder :101 pip :102 partition permit positional posix :103
play :104 physical portion probably :105 pagination period precompil prev privacy protect :106 panel percent
pi poll preload :107 pipe pop :108 piec prerender :109 personal polyfill pric propos :110 pkg polygon :111
preprocessor :112 partially person programmatic :113 popular powerful :114 percentag ping pos postgresql
precis predicat :115 paginat pid preced prefetch presenc pretty proxi :116 predefin prerequisit prettier :117
palett propagation :119 parenthesis pdf persistenc powershell preset probability :120 peopl phon pro
programmatically :121 paid primarily prob processor :122 playback promot :123 packet peerdependency pseudo pub
put pv :124 popup protection purely :125 permanently predictabl principl procedur proof :126 parenthes player
projection :127 particularly pay playwright :128 polynomial portabl practical provision :129 paint printabl
prioritiz prohibit proposal :130 plaintext :131 permutation perspectiv punctuation :132 participat passthrough
payment :133 pep permanent pictur progressiv ptr :134 phras pickl placement preparation preventdefault
privileg producer progressively proto :135 paragraph patrick picker prs :136 pm prod :137 permissiv
possibility prim proceed pytest :138 pem px pydantic :139 paper php pod popover pypi :140 peek peter pitch
pluggabl pnpm pragma preprocess productid prun :141 perl preferabl prereleas :142 partner photo plot pow ps
:143 perfectly plist popen precisely prov :144 pg plug privatekey proj :145 principal problematic project_name
:146 perf portal precomput pressur =q :33 question :45 query :71 quot :79 queu :100 quality quick :108 ql :113
qualifi quickly :132 quit :134 queri :136 quiet quota :137 quantity :139 qualify =r :11 return :29 remov run
:32 request :33 read refactor renam replac repo repository result review right :36 requir :44 react referenc
:45 respons root :47 render resolv :50 releas :53 runtim :56 resourc :57 rais rout :58 receiv represent :60
rang :61 report :62 raw register :64 relativ :65 rule :66 router :67 relat :68 recommend record :69 row :71
ref :72 reject :73 real reason reduc representation reset retriev :74 reach :75 readm :76 remain :77 random
rely restor :78 refer regression resolution :79 retry rpc :80 readabl ready revert round :81 reflect regular
remot requirement rest :82 regexp role :83 reus :84 redirect regex repeat :85 retain :87 refresh respect :88
reg :89 relevant resiz restart resum :90 reader registry rfc :91 region resolver :92 rate regardless renderer
reserv :93 revers runner :94 rewrit :95 replacement reply :96 respond :97 restrict :98 rc rust :99 recursiv
revalidat :100 recogniz reload removal res responsibl :101 recent respectiv rs rtyp :102 redundant :103
recover red roll :104 race rebuild respectively :105 recompil req rotation :106 rejection revision :107
recipient recursively rollup rsc :108 reveal :109 ran :110 recursion robust :111 rank registration rm :112
readonly recreat recurs replay restriction revalidation rich :113 refus reproduc :114 radius ratio regard room
:115 rare reconnect relay rgba rotat ruby :116 reproducibl :117 remap remember risk :118 rect rectangl reorder
:119 relationship reusabl :120 rewritten :121 receipt recovery redo reliabl retri robin :122 recently relax
:123 radian relation research restoration runtimeerror :124 reconcil :125 receiver restructur :126 redshift
rel reviewer rework :127 reduction responsiv robert roughly :128 recommendation redis reli repr :129
reconstruct repeatedly restructuredtext rgb :130 randomly reasonabl regenerat repair retention retrieval :131
reachabl refin responsibility revok :132 reflection reimplement reporter resizeobserver :134 reactnod recognis
reinstall requirej routin :135 rarely readablestream rhs :136 realm recomput reshap ring rtl runnabl :137
reconnection relatively reliably resp rid rimraf :138 reactiv remark resilient rf :139 readfilesync reality
regularly rz :140 repl replicat republish :141 raspberry remainder removealllistener :142 readability
regeneration rng :143 ray realistic reintroduc rejectunauthoriz retryabl :144 recip rectangular referrer :145
rerun rst :146 retir =s :15 set :21 support :22 str :33 save script second send server setup short show simpl
small sourc start stat step stop summariz summary system :42 specific :45 singl :46 specifi :48 size :51
stream :52 shar status stor :53 select specify :56 styl :57 search side static :58 servic session :59 scop :61
spec :62 skip syntax :63 separat sql standard :64 section :65 shap stack sync :66 spac src structur switch :67
schema :68 security :69 sign skill storag strict :70 self :71 socket :72 safe sent sequenc shell :74 screen
selection :75 sampl signatur sort :76 serializ several special split symbol :77 signal similar :78 scroll
statement submit suit :79 studio :80 snapshot subclass :82 seed seek selector serv sub success suffix surfac
:83 segment svg :84 scal solution stabl strip suppli :85 site story subsequent :86 sav specification subscrib
:87 scalar semantic shown :88 safety stag strategy successful :89 sometim :90 schem sdk silently simplify spe
ssr subscription :91 serialization shadow simply stal stay stuff :92 schedul secret suggest sum :93 sandbox
scan scenario ship successfully swap :94 slic :95 safari shim situation smaller stdout subset super :96 secur
shift slash :97 say separator simulat slot standalon synchronous :98 slow spawn :99 smart snippet :100
sensitiv shortcut stderr substr suspens :101 safely span ssl suitabl supply :102 s3 solv stub suppress :103
scen shutdown soon :104 softwar stringify struct submission :105 satisfy setter sh squar std suggestion :106
separately sery significant slug specializ statistic succ :107 shield sibl soft spars stand subcommand :108
semver spread subject sys :109 sens specifically startup surround :110 sha :111 sender settimeout shorthand
shut sit stylesheet :112 simplifi slightly spell statically suspend synchronously :113 sep silent :114 sec
significantly singleton subdirectory sufficient :115 scheduler :116 scrollbar serializabl siz strongly :117
sanitiz secondary see seen sequentially :118 somewher starttransition structural symlink :119 semicolon settl
simultaneously substitut substitution :120 searchparam seealso severity sheet similarly slight smooth spinner
statuscod strong succeed :121 sass scor smallest solid stricter surviv :122 scaffold ssh stak sticky stuck
submodul subprocess synchroniz :123 scipy sentinel shard simpler skeleton strictly suppos swift :124
sequential sha256 sound splat star :125 sidebar snappy stamp subscriber subtre :126 shallow sig surrogat :127
sasl se stateful :128 scrap ses shorter simplest sock sourcemap :129 september silenc simplification spa sqrt
straight subtract :130 screenshot signer solidity stability stall swallow :131 setitem shader shrink stdin
stringifi synchronization :132 seamlessly serial sharp slower speak specifier stdlib subtl :133 sam st
symbolic symmetric :134 satisfi scss selectively serializer shak simulation sleep slowest someon sq sv :135
spher spin strictmod subtyp supersed :136 sink standardiz steer strid sun :137 sentenc servernam shad sid
singular slack slider :138 sa seq setinterval signup silicon spam spdx spent stabiliz synthesiz :139 setsiz
setthem superfluous :140 said samesit school scott sin :141 scala scratch seem starter subpath subsystem
synthetic :142 san scrollabl shot snap spot subsequently :143 seo spatial sqlalchemy sweep :144 showcas subdir
:145 semi sensitivity setvalu shorten statustext stdio successiv :146 selectabl selectiv sophisticat
specificity statusmessag stretch superclass =t :15 type :28 true :29 test :33 task tell text time today tool
:38 target :46 ts :47 typescript :54 throw token :56 typ :57 templat :58 tag top :59 titl tsx :61 tabl :62
timeout :63 tree :64 trigger :67 transaction tupl :71 track :72 transport :74 transform :75 trac treat turn
:76 timestamp :78 thre typo :79 thread total :81 tab :82 thrown typically :83 terminal transition :84 them
tostr :85 tim travis :87 team tls together :88 touch trail txt :89 todo toggl :90 therefor :91 taken terminat
:92 term third :94 think topic :95 tooltip :96 temporary transfer typeerror :97 tak toml typeof :98 timer :99
tech :100 trim :101 translat trust :102 tip toolchain :103 tmp truncat twic :105 tcp transformation
transparent try tweak :106 techniqu threshold :107 typical :108 temp :109 translation tsc :110 tap :111 textur
timelin :112 travers :113 temporarily tolowercas :114 tier traffic :115 themselv :116 telemetry throughout
tokenizer :117 throttl traversal tri :118 technical traceback troubleshoot truth :119 transpos tutorial :120
thin tsconfig :121 toleranc transient :122 tokeniz trip :123 toward trend tripl :124 te threw tr triangl :126
ttl :127 teardown trivial tx :129 talk trailer transitiv :130 tail tick tie timezon toplevel :131 tailwind
temperatur :132 thought tiny tracker train :133 tied :135 tensor trad :136 technology th tol :137 toolset trap
turner :138 tan testcas textual tild timedelta toolkit tos transcript :139 tojson transparency tun typenam
:140 tangent tcl tf :141 theta thorough transmit transpil triangular troubl :142 technically terser :143 tape
termination tightly topological :144 tar til toolbox traditional tray tunnel twin :145 target_name textarea
toast told travel tricky :146 transformer translator turbo tv twitter =u :24 updat :28 user :39 url :49
undefin :52 use :53 usag :55 upgrad :61 useful :67 ui unit :69 util :72 uniqu utility :73 unless :75 underly
:76 unknown :77 usually :82 ur :83 uri :84 unicod :85 unus :87 union :90 unnecessary unsupport :92 unix :93
understand unlik upload :94 utf :95 unchang :96 uint unsaf unset usernam :99 utf8 :100 upstream :101 unsign
:102 unstabl :103 undo :104 uint8array unexpect :105 underscor usual :106 unhandl unrecogniz uuid :107
unsubscrib :108 unavailabl universal :110 upper :112 uncaught user_name uv :113 uglify :114 un :115 userid
usestat :116 uniform unquot unregister :117 unifi uris utc :118 unabl unpack unspecifi usr :119 uint32
unauthoriz undocument usabl :120 unmount :122 u32 unify untrust :124 uppercas usercontext :125 uninstall :126
ubuntu unlimit :127 ux :128 unbound unneed useeffect :129 updater utiliz :130 uid umd untouch unwrap :131 udp
unconditionally unrelat untag usetransition :132 uint64 urlencod user_id useragent :133 uniformly uniquely
unlock :134 unaffect uninitializ :135 unusual :136 uncompress unfortunately unmodifi unreachabl :137
unexpectedly :138 unintend :139 underneath undici unfold upcom urlsearchparam :140 unnecessarily :142 ua
undeclar unload :143 unreadabl usability :144 ultimately unresolv upward :145 uncheck unclear unlikely unorder
:146 ufunc undon userland =v :17 valu :25 version :33 variabl view :59 var :60 valid :64 validat :67 v4 :70
validation :71 verify :72 v1 :73 v0 :74 visibl :75 various visual :77 v3 :78 vs :84 v2 :87 vector :88 v5 :89
val :91 v8 volum :92 valueerror :93 variant :94 v6 :95 verbos :96 virtual void :98 verification video :99
vertical :102 versionad viewport visit vite vulnerability :103 visibility :104 vary :105 vscod :106 v7
validator vertex :111 v10 :112 valueof :113 voic :114 vertic :115 versionchang :119 verbosity :120 vendor
viewer :122 violation :123 verifi :125 verbatim :126 vagu vim :129 vi :130 v20 :131 viewtransition
visualization :132 vm :134 v12 v9 velocity visitor :136 vice vital :137 variety versa visualiz vue :138
verifier :140 variation vb :142 value2 ver violat :144 varianc viabl visually :145 v11 :146 validity value1
vertically =w :33 work writ wrong :42 window :54 web :56 warn :57 wrap :62 wait :64 workflow :70 width :71
written :77 word :78 workspac :79 wrapper :80 watch :81 widget worker :83 webview :85 whol :86 whenever world
:87 webpack :90 whitespac www :93 websocket win wish :96 weight :97 way :100 wire :101 websit :102 workaround
:103 whatever :104 welcom wiki :105 wallet wide :106 walk :108 weak webkit :110 wildcard :111 whit :112 writer
:115 wise :116 whatwg win32 :120 wasm :121 w3c writabl ws :122 wheel whichever :124 wikipedia worry :125 wild
:126 went wherea :127 whitelist :128 w3 walkthrough :129 warm webhook :131 worth wrot :132 weird :134 week
:135 watcher wir wrongly :136 wall wherever workload :137 waterfall wider william :139 want webp :140 webgl
:141 webdriver :144 waiter webm :145 west :146 weekly =x :86 xml :99 xcod :123 xxx :128 xhr :135 x86 xdg :136
xyz :138 xx :141 xmlhttprequest :145 xy =y :79 yaml :88 yield :93 year :102 yml :111 yarn :142 yellow =z :67
zero :104 zone :108 zoom :111 zip
"""
_EASTERN = """
:0 ます :6 しま する :7 され :13 した :16 せん ませ 一个 :17 して ージ :18 ード 使用 :20 ント :21 てい スト
文件 :23 イン ファ :24 りま トを 设置 :25 でき ター ール 設定 :26 イル ック ロー :27 です れた れて れま ァイ
ショ プロ 如果 所有 类型 :28 きま トの ート 場合 指定 :29 いま メン ョン 中的 :30 あり ティ 输入 :31 ない まし
ット 删除 显示 编辑 表示 :32 コン ーを 入力 :33 があ くだ この さい ださ ュー 属性 文字 :34 から ジェ フォ
ライ 削除 選択 :35 クト 创建 :36 には ディ ペー 字符 添加 选择 :37 てく また クス ーク 包含 文本 选项 :38 たは
ポー ース 无法 追加 错误 :39 るか を使 キス ジを テキ ーの 是否 正在 返回 :40 いる ため バー パテ ラー ロパ
ワー 进行 默认 :41 ルの ータ 匹配 変更 定さ 模式 没有 需要 :42 ある こと キー ップ トに 内容 定し 当前 用于
移動 :43 では エラ ルを 作成 列表 名称 启用 定的 :44 アク コー サイ ドを ロッ 合は 定义 実行 工作 服务 标签
:45 すべ って ての にす べて スペ 代码 信息 文档 更改 用し 输出 :46 スク タイ パス 函数 効に 变量 可以 控制
数の 有効 検索 移动 结果 这个 通过 重新 :47 のみ るこ れる ェク カー キュ スを ステ テー 关闭 出现 必须 無効
用户 自动 表达 达式 項目 :48 しい すか のコ のフ ると る場 を追 ドキ ルー ーに 保存 加到 名前 时间 現在 的文
辑器 配置 :49 エデ ドの ュメ リン レク ープ 复制 执行 操作 查看 状态 禁用 解析 :50 つか を表 ィタ ェッ トリ
リス ーバ 之间 在の 存在 数値 書き 项目 :51 によ の値 ォル コメ トが ンを ンス 任何 値を 允许 其他 务器 可能
提示 路径 :52 い場 とし のリ の場 を指 クシ ンテ ーが 件的 値の 内の 出力 对象 必要 搜索 的字 置的 除し :53
るた を削 サー スの モー ンの ンク 件中 元素 出し 切り 大小 或 提交 支持 标题 检查 版本 編集 置为 関数 :54
うか かど どう より アウ ォー クセ クリ ブロ ルト ンド 下一 位置 初始 命名 和 打开 択し 提供 次の 確認 访问
运行 颜色 :55 しく その なり にし にな のプ の変 はあ を選 アイ クを セッ デフ フィ 一致 不能 修饰 変数 多个
定の 导航 扩展 数字 注释 目标 :56 のア よう を含 ウト スタ テム トラ ピー ーカ 个文 具有 切换 参数 命令 定義
替换 用的 的类 符串 見つ 转换 :57 いな とは に使 に移 を開 トは ドが 下文 主题 例如 区域 折叠 用さ 用す 的标
程序 範囲 複数 语言 :58 しな る必 を検 を無 イズ コピ ッシ ビュ フロ プシ メー ラン ルに 可用 启动 器的 最大
有效 示し 范围 获取 行的 语句 请求 限制 面的 :59 るに んで キャ クラ マン リッ リー 内で 前の 力を 取り 另一
可选 字列 数据 新し 替え 的所 确定 第一 要素 链接 :60 これ での の出 はで を変 ィレ オブ クロ セル タブ ダー
テン トメ ブジ ユー ルが レー ーザ 上一 上下 付け 値が 在 完成 忽略 数的 标记 格式 活动 用で 的に 目を 目录
管理 自動 要が 警告 这些 隐藏 :61 かり でし なし に設 のイ の最 ザー ジュ セス トで プラ ルド ンデ ンプ 他の
以下 分配 合に 应用 您的 最初 済み 目の 空格 :62 いて に変 のス の文 を再 ケー コマ サブ バイ 器中 因为 外部
失败 帮助 所选 插入 日志 番号 的输 送信 重复 :63 が見 に表 のテ を設 イテ オプ グル プレ マッ ログ ーシ 作区
修改 初期 定す 已经 找到 接受 数を 数量 結果 缺少 菜单 表中 项的 :64 ける にあ に対 のタ を上 を実 を確 アン
イド クタ クテ ジの ドに ボー ルは ーン 一次 个数 之前 从 会话 取消 含む 外の 情况 成し 或者 拡張 换为 更多
生成 确认 :65 つの であ とが とき のエ のペ の名 まで ウン スに セー ッセ ニュ ベル メッ メニ モジ ンタ ンダ
ーマ 为 処理 動し 包括 只能 字を 展开 情報 成功 折り 挿入 消息 的值 的最 終了 调用 閉じ 间的 :66 きる じる
のメ への まれ らの を作 アッ イト エン クの ソー チェ ラッ 上に 不是 任意 保留 分隔 功能 加一 合并 始化 将其
工具 开始 最後 期化 然后 现在 的属 覆盖 詳細 调试 部件 重置 :67 いで それ たた めに ィブ エス サポ シュ ドで
バッ ング ンツ ーム 上传 值为 参照 在此 建一 括号 更新 注意 状態 的名 的图 示す 種類 索引 能な 読み 详细 配项
隔符 :68 のパ の種 める を保 ウィ タス トす ブラ ーは 上書 不可 入文 別の 到 前を 含ま 在し 変換 定を 将会
差异 换行 排序 新的 无效 本的 的列 系统 触发 记录 込み 開く :69 がで きに でな のサ はな ィル クエ タン ッグ
パラ ラグ ラメ ルタ ンラ 下に 以上 位于 全部 動的 单位 名为 图标 在编 增加 处理 字段 対し 常に 式的 後に 時に
最小 条件 析为 滚动 的 的行 等待 通知 :70 ここ にの られ りに わり を押 ドは ャン 不支 中显 作为 到文 加し
发送 取得 否在 定要 引用 後の 数值 最后 未找 权限 查找 模块 的内 示さ 置換 返し 连接 適用 长度 開始 :71 不会
件夹 入的 前に 历史 导入 延迟 或重 接口 效的 数组 清空 的变 能在 言語 重命 :72 上的 不同 内联 在文 将 小部
尝试 已被 报告 未知 本地 毫秒 的模 的语 空间 符号 第二 签页 绑定 设定 过滤 部分 键 键盘 面板 预览 :73 不到
仅当 到的 制在 动到 否则 在这 密码 已更 找不 有的 检测 片段 的代 的更 示的 选定 高亮 :74 下面 中使 义的 全局
内部 原始 可见 型的 并且 方法 果为 的对 的工 的项 继续 行一 跳转 转到 配的 随机 :75 为单 以使 冲突 制到 它的
小写 左侧 建议 来自 根据 用此 的默 符的 级别 计算 跳过 验证 :76 中 出的 副本 单击 名字 字体 它们 安装 已启
已禁 按 描述 断言 映射 果不 每个 的任 获得 配给 除文 :77 一行 为字 光标 关键 加载 同的 吗 将被 屏幕 快捷 您可
最新 有一 有关 有文 本中 标准 格的 目的 箭头 要将 语法 顺序 首选 :78 一起 为空 写入 别名 右侧 同一 同时 声明
宽度 对于 带有 开文 当 方式 板中 比例 特定 的一 的数 的方 的正 移除 粘贴 视图 适用 须是 :79 两个 个输 发布
在一 在使 容的 导出 将此 已删 序列 成的 择一 撤销 是有 条目 某个 某些 此处 法创 现有 理员 由于 的信 相对 第
等于 行为 记为 :80 与 块中 存的 尚未 替代 筛选 聚焦 自定
"""

_rows = {}


def share(term):
    """The share of texts, 0 <= share < 1, that hold a term; 0.0 when it is too rare to be in the table."""
    if not _rows:
        _fill()
    row = _rows.get(term[:1]) or _rows["eastern"]
    at = row.find(f" {term} ")
    if at < 0:
        return 0.0
    mark = row.rfind(":", 0, at) + 1
    return _TOP * _STEP ** int(row[mark : row.index(" ", mark)])


def table():
    """A new {term: share} of all terms, in no order; for few terms share() is faster."""
    if not _rows:
        _fill()
    found, level = {}, 0.0
    for row in _rows.values():
        for word in row.split():
            if word[0] == ":":
                level = _TOP * _STEP ** int(word[1:])
            else:
                found[word] = level
    return found


def _fill():
    _rows["eastern"] = _EASTERN.replace("\n", " ")
    for row in _TERMS.replace("\n", " ").split("=")[1:]:
        _rows[row[0]] = row[1:]
