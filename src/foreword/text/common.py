"""How usual a term is in texts about software, whatever the project. Pure data; hot.

Written by bench/background.py, which says from what; do not edit. A store's own counts know nothing while
it is young; beside these they do. Terms are those of foreword.text.words.
"""

# The greatest share, and what a level's share is to the one before it. A row begins with `=` and the first
# character of its terms; `:7` is before those of level 7. Chinese and Japanese are one row.
# It is searched as it is: a dict of all terms takes 1.1 ms to make, the first twenty shares take 0.1 ms.
_TOP, _STEP = 0.5773, 0.95
_TERMS = """
=0 :16 0 :65 01 05 :66 02 04 06 :68 03 :69 08 09 :71 07 :103 00 :117 000 :145 001 :150 0x =1 :17 1 :47 10 :51
11 12 :62 14 :63 16 :64 13 :66 15 :68 17 :69 18 :74 19 :81 100 :106 1000 :112 1024 123 :115 128 :122 1421 :136
1d :137 1234 127 :139 10000 :143 1s :147 1080 :148 110 12345 :149 101 :150 120 123456 =2 :23 2 :68 20 :69 2019
:71 2022 :72 21 :75 22 :77 23 28 :78 2017 2018 24 :79 2015 2021 :80 2020 26 27 :81 2013 :82 2016 25 :84 2014
:86 29 :90 2023 2026 :91 2025 :92 2024 :104 200 :115 256 :118 2d :124 2012 255 :135 250 :138 2008 20px :139
2010 :143 2000 2011 :150 2nd =3 :27 3 :74 30 :80 32 :86 31 :111 35 :112 37 :113 36 :115 300 :116 39 :117 34 38
:118 33 :120 3d :131 3px :138 3000 :142 307 3600 :146 3rd :147 30000 :150 3986 =4 :36 4 :105 45 :106 42 :110
40 47 :113 46 :114 404 :116 43 :117 400 :122 44 :124 48 :127 49 :132 41 :142 401 :143 4th :146 4096 4xx :149
429 =5 :41 5 :101 50 :112 500 :131 54 :132 51 55 :133 59 :135 53 56 :136 57 :141 52 :143 5000 :146 512 5xx
:148 58 =6 :46 6 :83 64 :104 60 :118 62 :134 600 65 :143 63 :145 67 =7 :49 7 :121 72 :134 75 :135 70 =8 :49 8
:124 85 :125 80 :126 86 :136 800 :145 87 :149 8080 =9 :60 9 :117 95 :124 90 :131 99 :139 98 :150 96 =a :16 add
:38 allow :39 able ahead already alway another answer app application argument around :40 api :44 array :46
arg :49 action :51 availabl await :55 access :59 accept async attribut :60 apply :61 automatically avoid :65
agent :66 address :67 account additional :69 activ :70 associat :71 across :73 auto :75 append :77 ap apis
assum attempt :79 appli attach :80 affect android auth authentication :81 absolut ask :82 abstract actually
alia assign :84 addition appropriat :85 actual anyth :86 alpha amount :87 abort advanc appear attr automatic
:89 along artifact assignment ast :90 arbitrary architectur :91 asset :92 ability accord annotation :93
algorithm :94 alternativ animation author :95 align approach awar :96 ai ascii assert assertion aws :97
alongsid area :98 adjust alias analytic arrow :99 alter :100 accessibility :101 analysis anymor aria :102
authenticat authorization axis :103 activity :104 abi alon archiv :105 act adapter admin adopt angl :106
accessibl arm audio :108 abstraction anchor anywher asynchronous :109 activat alternatively although :110
aggregat animat appl approv away :111 activation additionally applicabl arm64 :112 absent age amazon analyz
assumption :113 abc adapt allocat april :114 acquir aliv amd ancestor asynchronously :115 alt :116 accessor
accidentally accumulat alternat :117 alert almost anonymous arch arriv avg :118 accordingly add_library :120
addon automat avatar :121 ad administrator agnostic attention audit :122 agre allocation annotat approval
approximat august automation :123 achiev ambiguous azur :124 appearanc attachment :125 aspect asyncio ax :126
advantag alignment atomic :127 adjacent arc autocomplet :128 apach :129 acceptabl accurat adoption ambiguity
anyway :130 abs advertis afterward argv assembly authoriz :131 abortsignal adher aforemention aim angular :132
a11y apr availability averag :133 ac advic aggregation among announcement awaitabl :134 andrew approximation
aris assistant :135 analyzer appropriately ar arithmetic :136 addr arg1 ascend :137 accomplish architect :138
actively adjustment alphanumeric apollo argpars authority :139 accommodat anyon :140 accidental amp ansi apart
arg2 arr arraybuffer :141 assignabl atomically augment autocompletion :142 acme addeventlistener adjacency
:143 accuracy :144 acceptanc ago aid ajax alan arbitrarily assembl :145 accurately acknowledg adaptiv api_key
articl auxiliary :146 actionabl asm :147 agreement aka :148 al alchemy announc approximately arrang attack
:149 aa accelerator affinity alic analogous assist awesom :150 ab alphabetically awareness :151 a1 abandon
absenc acl anti appdata augmentation authenticator =b :39 back best better big bit bring bug build :47 block
:53 break :55 bas :56 base :57 browser :58 behavior :60 buffer byte :61 boolean :64 built :66 bash :67 body
:69 bump :72 binary bundl :74 background :75 bar batch button :79 bool :80 bound boundary :81 becom :82 bind
:83 basic :85 begin :87 box :88 branch broken :89 backend backward :90 bugfix builder :91 beta :93 badg :94
bin :96 base64 bottom bucket :97 bigint :98 behind :99 bare :100 blob :101 behav :102 balanc :103 brows
builtin bundler :104 behaviour belong blog bridg :105 benchmark :106 border bracket :109 blank brac :110 bad
:111 benefit beyond brief :112 basenam :113 brand bypass :116 basis broadcast brok :117 bootstrap :118 bubbl
budget :119 baz :120 besid browserify :121 babel :122 blue :123 bulk bun business :126 black breakpoint :127
blur :128 backslash :129 bytecod :130 backoff baselin :131 backgroundcolor backport :132 banner :133 bitmap
borrow bsd :134 bower breakdown :135 behalf bidi breadcrumb :136 backspac bot bullet :138 bearer believ bi
book :139 bitwis :141 basically ben bill blend blink boost broad brought :142 bg bom :143 blocker bloom bob
brew :144 becam busy :145 barrier :146 bat :147 behavioral :148 backup :149 bold bookmark bytearray :151 brain
brevity :152 bounc =c :23 chang :27 creat :30 call :31 code :39 case check class clean clear clos come command
commit complet config continu correct correctly current currently :42 client const contain :46 content :48
component custom :49 context :50 configuration :51 connection :52 com :54 cach callback cli configur :57
compil convert :60 cmak common control :61 caus core :63 character connect consol :64 chain :65 comment :66
copy count :68 constructor :69 color compiler :70 compatibility comput consider css :71 column :72 correspond
:74 child click :75 construct :76 chor compatibl crash :79 caller ci contract :80 catch :81 creation cross :82
children compar condition container :83 captur completion :84 cursor :85 choos collection :86 chunk :87 cloud
compress conditional constant cover :88 calculat certain changelog cleanup compilation :89 clon comparison
consistent convention :90 capability category chat combin conversion cost customiz :91 collect consum cooki
counter credential :92 cancel channel contribut cooky coordinat :93 comma consumer :95 center chrom :96
callabl compact complex conflict copi :97 carry codebas compos compression configurabl :98 choic classnam
completely coverag :99 claim cmd confirm constraint :100 controll :101 canonical cast confirmation
conversation :102 concurrent convenienc :103 chosen cluster combination concept :104 certificat cod concret
contributor :105 community controller cpu criteria :106 cc codegen commonj contrast :107 calculation cb
clipboard contact cxx :108 contribution csp ctrl :109 cd commonly construction :110 care char consist :111
candidat card collaps copyright :112 cap cdn closur cycl :113 cancell checkout compliant critical crypto :114
central concat :115 chromium cjs clarify communication confus converter corner :116 collision compat composit
consistency cpp cut :117 catalog clock :118 cas compressor concurrently :119 camera concatenat concern
conditionally :120 composition coupl customization :121 cancellation canva caught cert closest computation
concurrency :122 ca came cdp checkbox checker communicat consideration cs cwd :123 colon customer :124 clang
consumption contenttyp :125 cell codecov curv :126 claus consistently csv :127 caption consecutiv credit :128
company complianc consolidat :129 camel caret clamp companion conform contrib creator cve :130 clarity clip
colour cours :131 cartesian caveat challeng charset comprehensiv convenient coroutin :132 capacity claud cls
cn continuation counterpart crlf :133 cart checkpoint coalesc coefficient consent constrain cumulativ :134
capabl classification consult :135 classic col collector conduct conjunction cor :136 crat ctx :137 caution
chanc composer conventional correction :138 cf cfg concatenation confusion connector cube cutoff :139 cheap
clearly complexity conf connectivity contiguous cpython :140 chart circl collid createwritestream crossorigin
:141 computer con cp :142 carri ceil closely coerc collectiv complement :143 camelcas classify clearer
clickabl co comparator contextual continuous cygwin :144 centraliz complicat correlation corruption curl :145
calc careful cat circular cog corrupt :146 chao concis cos :147 cflag checksum comp comparabl comply conn
consequenc cv :148 calendar canary cascad cipher cl codec coloriz conjugat connectiontimeout :149 clobber
completeness corp currenttarget :150 carefully checklist circuit clarification closer colocat confidenc :151
characteristic charg cmakelist cosin country :152 correlat =d :23 default :29 data :39 delet describ detail
different directory doc document :49 defin :50 dependency :55 description :56 depend :58 disabl :61 definition
directly display :62 documentation drop :63 debug :64 deprecat dev :67 db dir :68 determin :69 databas dict
dom :74 date dictionary :75 dynamic :76 destroy development :77 decod detect :78 download due :79 developer
diff :82 devic domain :83 deriv duplicat :84 direct :85 declar differenc :88 declaration depth detection doubl
:89 def design destination dimension :90 defer delay :92 dialog duration :93 deployment direction docker :94
dep dispatch :95 driver ds :96 deep distinct dot :97 deploy deprecation differ disk dist :98 descriptor
directiv distribution :99 desir :100 decid deliver discovery distanc draw dump :101 dash dashboard decision
disconnect :102 day decorator dtyp :103 decimal discover :104 demo discard :105 de diagnostic :106 detach
devdependency dispos :107 delegat delta drag dynamically :108 dark distribut :109 datetim deal dependent
deterministic :110 driven :111 degre delivery demonstrat devtool distinguish draft :113 descendant :114
datatyp dead dns :115 demand digit driv :116 desktop drift :117 decreas dedicat deserialization dimensional
disallow discussion downgrad :118 del discriminat :119 di dim div :120 delimiter differently dm :121 deeply
develop :122 delimit dirty duplication :123 debugger declarativ divid :124 decorat dens dispatcher doctyp :125
daniel david decoration deletion dry :126 decomposition deserializ downstream :127 dag decompress dialect
digest drawn dummy :128 despit discuss dpi :129 descend :130 docstr :131 dd deni diagnos :133 debian denot
deny deposit drill :134 deadlock decoder defaultvalu dest differentiat dismiss :135 decompos :136 dan
dangerous deactivat dedup diagonal :137 deliberately density desc descriptiv disappear dst dt :138 decrypt
discord :139 daily darwin dataset december deduplicat deduplication destructor displaynam :140 dataclass dock
:141 distinction doctest dup :142 department :143 dart diagram discret division :144 difficult dll dos :145
deeper determination digital drain :146 derivation disposal :147 daemon :148 designat disposition dropdown dtl
dual :149 damag disposabl doubt :150 divisor :151 dangl deadlin deviation dog =e :25 error :33 exampl :39
ensur everyth exist expect explain explor :42 event :44 export :45 enabl :52 element :53 empty end environment
:59 entry expression :62 execut extension :63 exception :64 editor emit encod :65 edit :66 extend :67 even
expos :71 effect :73 execution experimental :76 escap exit explicit extra :77 evaluat external :78 edge engin
equivalent :79 env equal explicitly :80 endpoint :82 extract :84 email entir exclud :86 enter :87 exact :88
exactly :89 es esm :90 err except executabl exp :92 eval expand :93 enforc :94 en expir :95 enough entity enum
experienc :96 es6 :99 early :100 easier easy establish :102 easily embed encounter entirely :104 eslint :105
exec :106 effort enclos express :107 emb estimat :109 earlier effectively endif enhanc especially exc :110
expansion :111 eg enhancement ext :112 efficient :113 effectiv eq evaluation exceed :114 encrypt enterpris
:116 electron encryption :117 equality explorer :118 echo editabl emulat exce :119 encoder es5 exclusiv exe
expiration explanation :121 ed elsewher entrypoint everywher expr :122 elaborat encapsulat exchang expensiv
:123 el :124 ecosystem emitter :125 ecmascript envelop :126 ecma expectation exponential :127 eager :128
eventually ex :129 endian enumerabl :130 efficiency eliminat elixir emoji enqueu estimation everyon evolv
exponent :131 english essentially eye :132 enumerat executor existenc extraction :133 emulation encourag epoch
expiry :134 evict :135 e2e ec essential :136 easiest eof examin exclusion :137 elaps envvar :138 enumeration
evidenc exhaust :139 efficiently equation exhaustiv experiment externally :140 eas :141 engineer eol exploit
:142 elementwis encodeuricomponent endless ephemeral extensibl :143 esc eventtarget :144 eagerly et evenly
excessiv extraneous :145 epsilon :146 eclips edition etag eventnam existent :147 exploration :148 eviction
:149 endfor :150 ease east eigenvalu environ :151 earth eventual =f :19 fix :23 function :25 file :39 fail
featur field find first folder follow :41 fals :49 format :55 fetch :56 form :60 flag :61 filenam full :62
found :67 filter :70 failur :72 foo func :73 fallback :74 forc :75 finish futur :78 fram :79 fast focus :80
float flow forward :81 free :82 fully functionality :83 feat :84 fill framework :85 fall final :87 factory :89
fragment :90 font :93 favor fire :94 fs :96 fit :97 flatten fresh :98 factor fir :99 faster :100 fold :102 fn
:103 flight front :104 finally formdata :105 filesystem fixtur :106 fact far firefox :107 fee :108 finaliz
flat fullscreen :109 flush :110 family :112 feedback :113 foreach :115 formatter :116 face figur float32
frontend functional :117 fine flexibl four :119 feel :120 feb freez fulfill fun :121 fork foundation
frontmatter :122 fac february friendly :123 filepath flex flip forbidden :124 feed flash :125 fatal :126
facilitat :127 forg fr :128 file2 float64 :129 ff foreign frac :130 fake file1 frequently :131 fraction :132
fenc fewer former :133 flavor frequency :134 faq floor :135 flicker :136 fade falsy frozen :137 forgot :138 fd
focusabl :139 fly foreground :141 footer forever forth :142 fnam :143 finit formula :144 favicon fre :145
fashion :146 ffffff flaky foobar forget :147 fractional :148 fair fastest flexibility forcefully furthermor
:149 fi fil fluent :150 favour five :151 fmt =g :39 good great :46 generat :57 github :59 global :63 group :68
guid :69 git :71 graph :77 generator :78 generic googl :80 generation :89 gyp :94 gas glob greater :95 general
getter :100 generally guarant :102 grant :103 give guard :105 gh globally :106 guarante :108 geometry :110
grunt :111 gitignor :112 giv goal :113 gzip :114 gateway :116 gpu gracefully grammar :117 gen gl grid :118 gt
:119 gain gap greet grow guidelin :120 graphql green :121 garbag :122 gemini :123 guidanc :124 gate gestur
glyph :126 game :127 gather grep guess :129 getcontext :130 getitem ground :131 gc gui :132 gcc getelementbyid
gutter :134 gamma ghsa gnu :135 granular :137 gallery globalthis grain graphic :138 glsl graceful growth :139
gat geo getuser gpt :140 gb govern :141 getattribut gs :142 gaussian goto :143 geolocation :144 gz :146 gif
gltf :147 glue grad :148 generaliz glanc gradient gte :149 getvalu :150 gcs geometric getpost :151 getall =h
:37 http :39 handl help :51 header :54 html :60 handler :67 hook :68 host :74 hash :75 helper highlight :78
height history :81 hub :82 happen :83 hand hello :84 hold :85 hidden high home :86 head :87 hide :93 higher
:98 human :99 hard :100 hint :103 hex hover href :104 hostnam :105 hit :106 horizontal :107 half :108
hierarchy highest :110 helpful hour :113 held :115 hang honor :118 hasownproperty :119 harden highly :120
hardcod :122 headless :123 hydration :124 handshak hardwar health :125 handlebar holder :126 hydrat :129 halt
heuristic homepag :130 hack hid hybrid :131 hoist hole :132 hashabl :133 h1 heap :138 happy :139 hexadecimal
hog httponly :140 h2 henc htmlelement :142 hierarchical huge hyphen :143 heavy honour hotkey html5 :144
horizontally hot :145 harder :147 hero historical :149 handy hoc :151 hd heavily hood =i :34 includ :37 import
:38 instead :39 id implement improv input issu :45 instanc :55 install :56 index :57 information internal :59
implementation item :60 ignor interfac :65 insid invalid :66 indicat info :68 identifier imag int invok :69
initializ :70 icon inlin integer :71 integration :72 initial :73 introduc :75 init :78 immediately :79
improvement :80 important insert :81 identify io :83 individual instruction :84 ie :85 ids inherit
installation :86 intend :87 increas interaction :89 internally interval :90 incorrect :91 invocation :92 inc
:93 instantiat :94 identity indic infer ios :95 initialization interact :96 inner iterator :97 impl inject :98
instrumentation :99 incom interactiv isolat iterat :100 increment inspect :101 ide idle independent iterabl
iteration :102 indent :103 identical infinity interpret :104 img independently invers :105 implicit incomplet
initiat :106 identifi impact infinit insensitiv intercept :107 inferenc :108 involv :109 incorrectly indicator
:110 introduction ip :111 integrat :112 implicitly :113 incremental :114 insertion :115 immediat incompatibl
interrupt :116 immutabl intermediat :117 illegal instanceof interpolat ipc :118 idea instruct invariant :119
ie11 indentation isarray :120 injection interpreter isolation :121 ie8 interoperability :122 imply initially
inspector int32 iso :123 ifram invalidat :124 impli incrementally insight intent intersection :125 inspir :126
iife infrastructur inheritanc instrument intentionally :127 inclusiv intersect :128 incur :129 inform interest
internet :130 initializer :131 inconsistent instantiation ipv4 iter :132 i18n int64 :133 idp ime innerhtml
instantly integrity :134 idl inactiv inf invert :135 idx indirect intel ipv6 isnan :136 impossibl issuer :138
inconsistency indirectly insufficient :139 ideal ie9 iff indefinitely interfer invisibl ir :140 invit :141
individually ipv :142 inspection :143 identification inclusion influenc intelli intentional :144 inaccurat
intact interpolation ion isinstanc :145 ie10 installer integral interpretation :146 indexof interactively :147
inadvertently intellisens inventory ipad :148 incorporat indexerror informational interop :149 ia imperatively
impos informativ ing inst inter introspection invalidation :150 idempotent illustrat insecur instant interleav
investigation ispend =j :33 js :43 json :60 javascript :62 java :75 join :101 jsx :103 job :112 jsdoc :117
john :118 january :123 jan :124 jpg :128 jame :132 jump :133 jshint :135 jul :136 jit :137 july :140 jq :142
jason :143 jpeg :144 justify :145 jonathan junit :146 journey jwt :147 jar :151 june =k :35 key :39 keep :72
known :76 keyword :95 kwarg :97 keyboard :102 kept :106 kill :117 know :119 keydown :121 kind :124 kernel :125
knowledg :127 kit :129 kotlin :132 ki :135 keybind :136 ks :137 kb :139 keepaliv :140 keyerror :142 keyup kw
:144 kebab =l :34 list :39 languag line load long look :49 log :50 link :55 level :57 library :59 local :60
length :62 label :63 longer :66 location :67 limit :68 latest :70 left :74 layout lib logic :76 listener :77
linux :78 live :80 literal loop :81 larg layer llm lower :82 lead licens :83 later leav legacy lock ls :84
lazy :85 learn :90 leak :91 launch lookup :93 loader :94 localhost :95 listen login :96 larger light :98 lint
:99 len locally low :102 lifecycl limitation logical :105 locat :106 likely lowercas :107 linear linker lost
:108 lazily letter logger :110 lambda logo :111 land :113 latter :115 lang lite :118 life :119 latex lf :121
leverag lifetim linter :122 lts :123 loss :124 leaf localstorag :125 lose :126 latency littl :127 la largest
liquid lowest :128 lab :129 lack legal lightweight lot lt :131 launcher localiz :133 ld locator loglevel :134
l1 :137 lar :138 le loadabl lodash :139 late llvm lru :140 lax :141 lift liv :142 lexer lhs likewis :143 let
literally :147 lake lie :148 lee li localization :149 lm :151 largely latitud lean loc logarithm longitud lu
=m :35 method :39 main messag miss modul move :46 match mode :49 map :51 model :52 multipl :62 memory :65 max
md mean metadata :66 merg minor :71 manager :73 mac maximum :76 manag :77 multi :78 mark menu modify mov :79
meth :81 maco major manually min minimum :82 matrix :83 math :84 modifi :85 mak markdown meta :86 maintain :87
manifest marker :89 migrat :90 management mock :92 manual member migration mous :93 matcher minimal :94
millisecond mutat :95 ms :97 mutation :98 master mirror modern monitor :99 mechanism mix mount :100 media
metric :101 modification :102 machin measur :103 mask mostly :104 multipart :105 macro margin minut mobil :106
makefil :107 mod :108 mixin mjs mocha msg :109 material mozilla mysql :110 meant :111 maintenanc march mime
:112 microsoft middlewar mismatch mit :113 manner modifier :114 matter middl minifi :116 mistak :117 modal
:118 mb multilin multiply :119 malform mention :120 meet minimiz moment mutabl myapp :123 month :124 manipulat
manipulation markup :125 mandatory matric :126 meaningful minus :127 michael :128 mm motion :129 mcp median
:130 menus mid mind multiplier :132 massiv maximiz msvc :133 magic memoiz minify mutually :134 matt mimetyp
:135 md5 mesh met mut :136 medium micro :137 majority minification :138 maintainer mangl maxag meter :139
modulus movement :140 mar measurement multiplication :141 mail mainly mr :142 mdn :143 mega mimic minimatch
morph mousedown :144 mi misc motivat :146 market matthew memoization mnemonic monorepo monotonic multipli :147
mandat martin mass materializ :148 maker merely mouseup :149 malicious mechanic misspell mkdir :150 membership
monkeypatch :151 menuitem mipmap ml mu multipag mypy =n :22 name :26 new :34 node :39 nice number :46 note :48
non :50 null :60 npm :62 network :64 nativ :68 nam need :76 navigation nest :78 namespac :80 necessary :83 npx
:85 normaliz :86 navigat :87 normal :91 negativ notification :93 nan :94 nodej :95 na numeric :98 num :99 nav
:100 notify :101 natural :102 narrow newlin :103 normally :105 newer :106 node_modules numpy :107 newly :110
nearest :111 net :112 nonc :114 notic :115 ns :117 notation :119 npmignor :121 normalization :122 notabl :123
nov nth :124 necessarily :125 np numerical :126 november :127 nullish nyc :128 navigator ninja :130 natively
near :131 nathan :134 ndarray nullabl :135 not npmj :137 norm :139 neighbor :141 neutral :142 naiv negotiation
nx :144 napi negotiat notifi :145 nodetyp nois :146 negat noproxy notimplementederror :147 networkx night :149
normalis :151 newest =o :25 object :26 option :39 old open order output :48 optional :53 operation :56
otherwis :59 overrid :64 os :70 org :72 original :75 optionally :77 opt :78 occur :80 omit operator optimiz
outsid :83 offset :85 origin :86 obj :88 older :90 operat overview :91 one optimization owner :93 op :96
overridden :97 offer overwrit own :99 obtain :101 organization overflow :102 overload :105 official :106
overlap :107 ops :109 outlin overlay :110 outer :111 organiz :113 overall :115 observ optimistic :117 oauth
observer onerror ordinary originally :118 october :119 observabl opaqu :122 obsolet oracl outcom :123
occurrenc :124 overhead overwritten :125 oct offlin ownership :126 oppos orientation :129 o3 optimal optimism
originat osx outgo :130 onlin :132 opposit :133 outdat :136 opcod :138 obvious oserror :139 objectiv
opentelemetry operand optimizer :140 opacity :141 observability odd orient oss outlet :142 otel outbound
outstand overhaul :143 optimis :144 objc :145 octal oldest onload :147 object_id oh ongo orphan :148 occurenc
openssl :150 onchang orchestration :151 obscur octet =p :37 provid :38 pass path property :39 packag parameter
part plac plan point possibl print problem proc program project properly :50 patch :51 page :53 process :54
param pars :59 prevent :60 plugin :61 platform provider :62 python :63 promis :64 parent position public :65
performanc prop :66 perform prefix :68 produc :69 policy post present :70 pattern :71 protocol py :74 pair
pool preserv :75 partial pre previously privat :76 parser port previous :77 publish :78 prefer :79 plain :80
payload permission prompt prototyp proxy :81 pend profil :84 product :85 progress :86 purpos :87 primary pull
push :88 pick plus :90 particular pointer production :91 prepar :92 past pr :93 peer positiv :94 password
populat :95 parallel paus persist pixel practic priority pure :96 party phas potential precedenc precision
press primitiv :97 pipelin postgr :98 power :99 pack pad preview prior proper :100 persistent :101 preferenc
:102 prepend propagat :103 possibly potentially :105 pathnam pin placeholder png :106 pip :107 partition
permit positional posix :108 play :109 portion probably :110 physical precompil protect :111 pagination panel
percent period poll preload prev privacy :112 pi pipe pop :113 piec :114 personal prerender pric :115 pkg
polyfill polygon propos :116 preprocessor :117 partially :118 person powerful programmatic :119 percentag ping
popular precis predicat :120 paginat pid pos postgresql preced prefetch :121 predefin presenc pretty proxi
:122 palett prerequisit prettier :123 propagation :124 pdf persistenc powershell preset probability :125
parenthesis peopl phon programmatically :126 pro prob processor :127 paid playback primarily promot :128
packet peerdependency pseudo pub pv :129 popup protection put :130 permanently predictabl procedur proof
purely :131 player principl projection :132 parenthes particularly pay :133 playwright polynomial portabl
practical provision :135 paint printabl prioritiz prohibit proposal :136 permutation plaintext :137
passthrough perspectiv punctuation :138 participat payment pep permanent :139 phras pictur placement
preparation preventdefault producer progressiv progressively proto ptr :140 patrick picker pickl privileg prs
:141 paragraph pm prod :142 permissiv possibility prim proceed :143 pydantic pytest :144 paper pem popover px
pypi :145 peter php pitch pluggabl pnpm pod pragma preprocess productid prun :146 peek perl preferabl
prereleas :147 photo plot pow ps :148 partner perfectly plist popen prov :149 pg plug precisely privatekey
:150 principal problematic proj project_name :151 perf portal precomput pressur =q :39 question :50 query :76
quot :84 queu :105 quality :106 quick :113 ql :118 qualifi quickly :138 quit :139 queri :141 quiet quota :143
quantity :145 qualify =r :16 return :34 remov :35 run :38 request :39 read refactor renam replac repo
repository result review right :42 requir :49 react referenc :50 root :51 respons :52 render resolv :55 releas
:58 runtim :62 rais resourc :63 receiv represent rout :65 rang :66 report :68 raw register :69 relativ :70
rule :72 router :73 recommend relat :74 record row :76 ref :78 real reason reduc reject reset retriev :79
reach representation :80 readm :82 random remain :83 refer regression rely restor :84 resolution rpc :85 retry
:86 readabl ready reflect regular remot rest revert round :87 regexp requirement role :88 reus :89 redirect
regex :90 repeat retain :92 refresh respect :94 reg relevant resiz restart :95 resum rfc :96 reader registry
resolver :97 rate region reserv :98 regardless renderer runner :99 revers rewrit :100 replacement :101 reply
respond :103 rc restrict rust :104 recursiv revalidat :105 removal res :106 recent recogniz reload respectiv
responsibl rtyp :107 redundant rs :108 recover red roll :109 race rebuild respectively :110 recompil req :111
rejection revision rotation :112 recursively rollup :113 recipient reveal rsc :114 ran :115 recursion robust
:116 rank registration :117 readonly revalidation rm :118 recreat recurs refus replay restriction rich :119
radius regard reproduc :120 rare ratio rgba room ruby :121 reconnect relay rotat :122 remap remember
reproducibl risk :123 rect reorder :124 rectangl :125 relationship reusabl rewritten :126 receipt recovery
redo robin :127 recently reliabl retri :128 relation relax research restoration runtimeerror :129 radian :130
receiver reconcil :131 rel restructur reviewer :132 redshift reduction responsiv rework robert roughly :133
redis reli :134 recommendation repeatedly repr restructuredtext :135 reasonabl reconstruct repair retrieval
rgb :136 randomly refin regenerat retention revok :137 reachabl reflection responsibility :138 reimplement
reporter resizeobserver :139 reactnod recognis requirej routin :140 rarely readablestream reinstall rhs :141
realm ring rtl runnabl :142 recomput reconnection reliably reshap :143 reactiv relatively resp rid rimraf :144
reality regularly remark resilient rf rz :145 readfilesync repl replicat republish :146 raspberry remainder
removealllistener :147 readability regeneration rng :148 ray realistic reintroduc rejectunauthoriz retryabl
:149 recip rectangular :150 referrer rerun rst :151 retir :152 repaint =s :21 set :26 support :27 str :39 save
script second send server setup short show simpl small sourc start stat step stop summariz summary system :48
specific :50 singl :51 specifi :53 size :57 status stor stream :58 select shar specify :61 styl :62 search
side static :64 scop servic session :66 spec :67 skip :68 separat syntax :69 section sql standard :70 shap
stack sync :71 src structur switch :72 schema spac :73 security :74 skill :75 self sign storag strict :77 safe
sent sequenc socket :78 shell :79 screen :80 sampl selection signatur sort :81 several special symbol :82
serializ similar split :83 scroll signal submit suit :84 statement :85 snapshot studio :86 subclass :87 seek
selector :88 seed segment serv sub success suffix surfac svg :89 scal solution stabl strip suppli :90 story
subsequent :91 sav site subscrib :92 scalar semantic specification :93 safety shown strategy :94 stag
successful :95 schem sdk silently simplify sometim spe subscription :96 shadow ssr :97 secret serialization
simply stal stay stuff :98 sandbox scenario schedul ship successfully suggest sum swap :99 scan :100 situation
slic stdout subset super :101 safari secur shift shim slash smaller :102 say separator slot :103 simulat slow
spawn standalon synchronous :104 smart snippet :105 sensitiv shortcut suspens :106 ssl stderr substr suitabl
:107 s3 safely span stub supply :108 scen shutdown solv soon suppress :109 softwar struct :110 satisfy setter
sh stringify submission suggestion :111 separately sery slug squar statistic std succ :112 shield sibl
significant soft spars specializ stand subcommand :113 spread subject sys :114 semver sens specifically
startup :115 surround :116 sender sha shorthand sit stylesheet :117 settimeout shut slightly spell statically
synchronously :118 simplifi suspend :119 sep significantly silent singleton subdirectory sufficient :120
scheduler sec :121 serializabl strongly :122 scrollbar see seen sequentially siz :123 sanitiz secondary
starttransition structural symlink :124 settl simultaneously somewher substitution :125 searchparam semicolon
severity sheet similarly smooth statuscod substitut :126 seealso slight solid spinner stricter strong succeed
surviv :127 sass scaffold scor smallest ssh stak sticky stuck submodul :128 scipy sentinel shard simpler
strictly subprocess swift synchroniz :129 sequential sha256 skeleton splat suppos :130 sidebar snappy sound
stamp star subscriber subtre :131 shallow surrogat :132 sasl sig :133 se ses shorter stateful :134 scrap
september silenc simplest simplification sock sourcemap sqrt straight :135 signer solidity spa stability stall
subtract swallow :136 screenshot setitem stdin synchronization :137 seamlessly serial shader shrink speak
specifier stdlib stringifi subtl :138 sam sharp slower st symbolic symmetric :139 satisfi scss selectively
serializer shak simulation sleep slowest someon sq :140 spher strictmod supersed sv :141 sink spin steer strid
subtyp sun :142 sentenc servernam sid singular standardiz :143 sa setinterval shad signup slack slider spam
spdx spent stabiliz synthesiz :144 seq setsiz setthem silicon superfluous :145 samesit scott sin :146 said
scala school scratch seem starter subsystem synthetic :147 san snap spot subpath subsequently :148 scrollabl
seo shot sqlalchemy :149 showcas spatial subdir sweep :150 semi sensitivity shorten statustext successiv :151
selectabl selectiv setvalu sophisticat stdio stretch superclass :152 slid specificity statusmessag =t :20 type
:33 true :34 test :39 task tell text time today tool :43 target :51 ts :52 typescript :59 throw :60 token :61
typ :62 templat :63 tag :64 titl top tsx :66 tabl :68 timeout tree :69 trigger :72 transaction tupl :76 track
:77 transport :80 trac transform turn :81 timestamp treat :83 thre typo :84 thread total :87 tab typically :88
thrown :89 terminal tostr transition :90 them tim travis :92 tls :93 team together trail txt :94 todo touch
:95 therefor toggl :97 taken term terminat third :99 think :100 tooltip topic :101 typeerror :102 temporary
toml transfer typeof :103 tak timer :104 tech :105 trim :106 translat trust :107 toolchain :108 tip tmp
truncat twic :110 transformation transparent try :111 tcp threshold tweak :112 techniqu :113 temp typical :114
translation tsc :115 tap :117 textur timelin travers :119 temporarily tier tolowercas traffic :120 themselv
:121 telemetry throughout :122 throttl tokenizer :123 traversal tri troubleshoot :124 technical traceback
transpos truth tutorial :125 thin tsconfig :126 toleranc transient :127 tokeniz trip :128 trend tripl :129 te
threw toward :130 tr triangl :131 ttl :132 teardown :133 trivial tx :134 talk :135 tail tick timezon trailer
transitiv :136 tailwind temperatur tie toplevel :137 tiny tracker train :138 thought :139 tied :140 trad :141
technology tensor th :142 tol toolset trap turner :143 tan testcas timedelta toolkit tos :144 textual tild
transcript transparency tun typenam :145 tangent tojson :146 tcl tf thorough transmit transpil troubl :147
technically terser theta triangular :148 tape termination :149 tar tightly til toolbox topological tray tunnel
twin :150 target_name textarea told traditional tricky :151 toast transformer travel turbo tv twitter :152
translator =u :30 updat :33 user :45 url :54 undefin :58 usag use :60 upgrad :66 useful :72 unit :73 ui :75
util :77 uniqu utility :78 unless :81 underly unknown :82 usually :88 ur uri :89 unicod :90 unus :92 union :96
unnecessary unsupport :97 unix :98 understand unlik upload :99 utf :100 unchang :101 uint unsaf usernam :102
unset :104 utf8 :105 upstream :107 unsign unstabl :109 uint8array undo unexpect :110 underscor :111 usual :112
unhandl unrecogniz uuid :113 unavailabl unsubscrib :114 universal :115 upper :117 user_name uv :118 uglify
uncaught :120 un :121 uniform unquot unregister userid usestat :122 unifi uris utc :123 unabl unpack unspecifi
usr :124 uint32 unauthoriz undocument :125 unmount usabl :127 u32 unify untrust :129 uppercas :130 uninstall
usercontext :131 ubuntu :132 unlimit :133 unbound unneed useeffect ux :135 umd untouch unwrap updater utiliz
:136 uid unconditionally :137 udp uint64 unrelat untag user_id useragent usetransition :138 uniquely unlock
urlencod :139 uniformly uninitializ :140 unaffect :141 uncompress unfortunately unreachabl unusual :142
unexpectedly unmodifi :143 unintend :144 underneath undici unfold upcom urlsearchparam :146 unnecessarily :147
ua undeclar :148 unload unreadabl usability :149 ultimately unresolv upward :150 uncheck unlikely :151 unclear
undon unorder userland :152 ufunc =v :23 valu :30 version :39 variabl view :64 var :65 valid :70 validat :72
v4 :76 validation :77 v1 verify :78 v0 :80 visibl :81 various visual :82 v3 :83 vs :90 v2 :92 vector :93 v5
:95 val :96 v8 volum :97 valueerror :98 variant :99 v6 :101 verbos void :102 virtual :103 verification video
:104 vertical :107 viewport vite vulnerability :108 versionad visibility visit :109 vary :110 vscod :111 v7
validator :112 vertex :117 v10 :118 valueof voic :120 vertic :121 versionchang :124 verbosity :125 viewer :126
vendor :127 violation :128 verifi :130 verbatim :131 vagu :132 vim :135 vi :136 v20 viewtransition :137
visualization vm :139 visitor :140 v12 v9 velocity :141 vital :142 vice visualiz vue :143 variety verifier
versa :145 variation :146 vb :147 value2 ver violat :149 varianc viabl :150 v11 visually :151 validity value1
vertically :152 vc =w :39 work writ wrong :47 window :59 web :61 warn :62 wrap :67 wait :69 workflow :76 width
written :83 word workspac :84 wrapper :85 watch :87 widget worker :88 webview :91 whenever whol :92 webpack
world :95 whitespac www :98 win wish :99 websocket :101 weight :102 way :105 wire :107 websit workaround :109
welcom whatever wiki :110 wallet wide :111 walk :113 weak webkit :115 wildcard :116 whit :117 writer :121
whatwg win32 wise :125 wasm :126 w3c ws :127 whichever writabl :128 wheel :129 wikipedia :130 wild worry :131
went :132 wherea :133 w3 walkthrough whitelist :134 warm :135 webhook :136 worth wrot :138 weird :139 week
:140 watcher wrongly :141 wall wherever wir :142 waterfall william workload :143 wider :144 want webp :146
webdriver webgl :149 webm :150 waiter :151 weekly west =x :91 xml :104 xcod :128 xxx :133 xhr :141 x86 xdg xyz
:144 xx :147 xmlhttprequest :150 xy =y :85 yaml :93 yield :98 year :108 yml :117 yarn :147 yellow =z :73 zero
:109 zone :113 zoom :117 zip
"""
_EASTERN = """
:0 的 :16 定 :17 在 用 :20 中 :21 个 有 :23 ージ 为 数 文 :24 ード :25 ント 一 :27 スト 器 :28 ファ 件 到 置
选 :29 イン 合 将 时 是 :30 出 或 :31 りま イル プロ ール 値 入 変 标 行 設 設定 :32 ァイ ック 不 使 場 字 符
:33 れた れま ショ 使用 动 可 式 :34 メン ート 前 力 動 場合 已 指 指定 文件 本 表 项 :35 きま ティ ファイル
ョン 此 设 除 :36 内 示 :37 ット ロー 以 名 表示 输 :38 コン ライ 作 值 加 如 建 所 果 要 :39 ジェ 上 下 于
入力 更 最 设置 選 重 :40 があ クト フォ 効 发 成 択 文字 编 選択 開 :41 ペー 制 削 削除 块 对 性 新 无 :42
クス ディ 中的 配 :43 てく 分 所有 無 追 部 :44 また キス パテ ロパ ーク ース 属 开 显 请 输入 追加 :45 ^prpt
たは るか テキ プロパティ 列 否 型 属性 并 当 显示 検 类 :46 ポー ワー 删 删除 包 取 変更 存 换 未 查 正 目 码
类型 编辑 辑 :47 ップ 其 后 启 和 実 小 工 提 格 模 法 現 量 :48 コー ータ 则 回 改 移 移動 组 能 这 :49 べて
エラ ラー 从 复 大 导 後 接 時 现 空 过 键 面 :50 すべ アク キー サイ 代 切 初 务 始 字符 実行 消 添 添加 自
认 转 进 间 :51 のみ エラー ロッ 保 创 单 图 应 換 文本 点 语 错 項 题 :52 ェク スク スペ ュー 作成 修 创建 多
择 方 有効 検索 签 索 見 选择 非 項目 :53 タイ テー パス ルー 位 再 別 变 命 外 它 您 无法 注 無効 現在 複 误
返 返回 错误 :54 ^tkst キュ ステ テキスト ドキ 关 化 号 名前 含 序 必 找 書 选项 関 :55 ^kmnt エデ コメ
コメント ター トリ リン レク ンス ープ 之 会 信 具 区 容 対 态 正在 结 记 集 :56 ^rst ィタ ェッ ュメ リス 些
付 列表 处 息 户 数値 次 没 編 編集 被 :57 つか によ ンク ーバ 保存 包含 可能 向 服 服务 条 档 没有 理 确 記
認 関数 默 默认 :58 ォル コード バー モー ンド 义 代码 元 启用 工作 当前 必要 效 文档 期 模式 该 进行 間 :59
^dkmnt ォー クシ クリ ドキュメント ンテ 与 仅 全 内容 出力 出现 函 函数 子 持 既 来 段 確 程 致 解 输出 通 :60
アイ クセ トラ ブロ 一致 主 任 变量 名称 変数 展 按 更改 用于 相 確認 称 移动 結 語 载 达 :61 ^rnk かど はあ
デフ ルト ーカ 了 他 信息 匹 匹配 参 囲 定义 明 标签 生 補 调 需 :62 ^dfrt なり にし イズ カー スタ セッ テム
デフォルト ピー フィ リスト 传 例 先 定義 控 控制 流 用户 終 结果 義 览 象 起 运 须 :63 しな アウ ビュ マン
ラン リッ リンク 串 令 割 度 必须 拡 状 的文 看 第 素 自动 複数 闭 问 限 隐 :64 ^aksps いな んで ウト コピ
メー ワークスペース 交 关闭 加到 务器 定的 插 断 最大 检 状态 禁 範 範囲 続 表达 要素 达式 需要 项目 :65
^abskt しく るに オブ オブジェクト コピー サー ッシ トメ ブジ プシ プラ モード レー ンデ ンプ 写 同 告 复制 打
排 整 核 番 禁用 色 言 路 辑器 配置 重新 高 :66 ^adt ^brk での ィレ エディタ キャ クロ タブ フロ ログ 何 口 失
对象 录 径 执 执行 括 操 操作 查看 栏 求 版 等 终 给 自動 获 読 路径 通过 饰 :67 オプ クラ コマ セル テン プレ
ユー ルド ーザ 你 初期 功 句 字列 少 引 張 意 戻 打开 拡張 提交 提示 搜 搜索 支 时间 机 析 構 比 试 运行 送
送信 页 :68 かり なし はで イテ グル ケー ジュ セス バイ ユーザ ーシ 之间 件中 修饰 其他 命令 報 存在 扩 替
最初 注释 略 的字 端 結果 解析 込 適 释 飾 :69 ^akss ^frd ^skrr であ アクセス サブ スクロール マッ ンタ 二
件的 位置 停 吗 大小 完 导航 标题 済 由 番号 種 置換 者 背 至 航 许 转换 類 :70 ^apsn にあ アン イド エン
オプション クタ クテ ソー ベル ボー リー ンダ ーン 地 域 折 据 日 板 止 版本 用的 目标 種類 符串 置为 :71 ^grp
^sttmnt らの ィブ グループ ステートメント セー タン チェ ッセ バッ メッ 任何 供 允 具有 処 処理 别 単 只 命名
情 情報 扩展 更新 替换 检查 活 程序 算 細 終了 范 詳 访 访问 语句 :72 きに たた つの への まれ ウン ニュ メニ
ーマ ーム 不能 主题 作区 初始 叠 右 基 変換 志 挿 挿入 提供 最後 知 确定 詳細 话 边 釈 链 颜 颜色 :73 ^drktr
^msr ^mss ける でな はな イト ディレクトリ ブラ メッセージ モジ モジュール ラッ ング ンラ 个文 予 允许 元素
切换 区域 参数 受 围 头 左 差 异 態 支持 最小 期化 清 状態 缺 范围 規 语言 请求 链接 面的 順 :74 がで める
アッ ウィ エス パラ ブロック ラメ 上一 互 体 侧 因 常 応 想 插入 数的 标记 框 生成 级 藏 装 警 警告 计 读 通知
長 阅 隐藏 :75 助 器的 多个 实 忽 忽略 有效 根 环 目录 视 长 隔 :76 下一 可选 增 快 折叠 源 的标 的类 管
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
